# Completion of deltadeck for bash 3.2 and newer:
#     source <(deltadeck completion bash)

_deltadeck() {
    local line kind=""
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
    done < <(deltadeck completion --for bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    # What bash 3.2 has no `compopt` for is merely less smooth there.
    case $kind in
        more) compopt -o nospace 2>/dev/null ;;
        files) compopt -o default 2>/dev/null || IFS=$'\n' read -r -d '' -a COMPREPLY < <(compgen -f -- "$2") ;;
        folders) compopt -o dirnames 2>/dev/null || IFS=$'\n' read -r -d '' -a COMPREPLY < <(compgen -d -- "$2") ;;
    esac
    return 0
}

complete -F _deltadeck deltadeck
