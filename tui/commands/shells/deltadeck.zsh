#compdef deltadeck
# Completion of deltadeck for zsh: put it into a folder of $fpath as _deltadeck, or
#     source <(deltadeck completion zsh)

_deltadeck() {
    local -a answer given meanings
    local each kind
    answer=("${(@f)$(deltadeck completion --for zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=$answer[1]
    case $kind in
        files) _files; return ;;
        folders) _files -/; return ;;
    esac
    for each in "${(@)answer[2,-1]}"; do
        given+=("${each%%$'\t'*}")
        if [[ $each == *$'\t'* ]]; then
            meanings+=("${each%%$'\t'*}  -- ${each#*$'\t'}")
        else
            meanings+=("$each")
        fi
    done
    if [[ $kind == more ]]; then
        compadd -S '' -l -d meanings -a -- given
    elif [[ "$answer[2]" == *$'\t'* ]]; then
        compadd -l -d meanings -a -- given
    else
        compadd -a -- given
    fi
}

if [[ $funcstack[1] == _deltadeck ]]; then
    _deltadeck "$@"
elif (( $+functions[compdef] )); then
    compdef _deltadeck deltadeck
else
    autoload -Uz compinit && compinit
    compdef _deltadeck deltadeck
fi
