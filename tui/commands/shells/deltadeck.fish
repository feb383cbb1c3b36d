# Completion of deltadeck for fish 3.1 and newer:
#     deltadeck completion fish > ~/.config/fish/completions/deltadeck.fish

function __deltadeck_complete
    set -l finished (commandline -opc)
    set -e finished[1]
    set -l current (commandline -ct)
    set -l answer (deltadeck completion --for fish -- $finished "$current" 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case '*'
            set -e answer[1]
            printf '%s\n' $answer
    end
end

complete -c deltadeck -f -a '(__deltadeck_complete)'
