# Bash completion for cucore. The program itself lists its commands and options.

_cucore()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before='' command='' part='' names
    ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    # A subcommand, such as bench show.
    ((COMP_CWORD > 2)) && "$program" help --list "$command" "${COMP_WORDS[2]}" &>/dev/null &&
        part=${COMP_WORDS[2]}

    COMPREPLY=()
    if [[ -z $command || ($command == help && $COMP_CWORD -eq 2) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help --list 2>/dev/null)
            --help --version" -- "$word")
        return
    fi
    case $before in
    --emit)
        mapfile -t COMPREPLY < <(compgen -W 'ptx cubin ltoir ir machine' -- "$word")
        return ;;
    --driver)
        mapfile -t COMPREPLY < <(compgen -W 'auto real sim interp' -- "$word")
        return ;;
    --mode)
        mapfile -t COMPREPLY < <(compgen -W 'cold hot graph cpu' -- "$word")
        return ;;
    --format)
        mapfile -t COMPREPLY < <(compgen -W 'svg png svg,png' -- "$word")
        return ;;
    --lang)
        mapfile -t COMPREPLY < <(compgen -W 'cu ptx tile' -- "$word")
        return ;;
    --std)
        mapfile -t COMPREPLY < <(compgen -W 'c++11 c++14 c++17 c++20' -- "$word")
        return ;;
    --arch)
        mapfile -t COMPREPLY < <(compgen -W 'sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a
            sm_100 sm_100a sm_103 sm_110 sm_120 sm_120a sm_121' -- "$word")
        return ;;
    -I | --include-path | --out)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return ;;
    esac
    names=$("$program" help --list "$command" ${part:+"$part"} 2>/dev/null)
    [[ $command == bench && -z $part && $word != -* ]] && # its suites
        names+=" $("$program" bench --list 2>/dev/null | awk 'NR > 1 { print $1 }' | sort -u)"
    mapfile -t COMPREPLY < <(
        compgen -W "$names" -- "$word" | if [[ $word == -* ]]; then cat; else grep -v '^-'; fi
        [[ $word == -* ]] || compgen -f -- "$word"
    )
}

complete -o filenames -o bashdefault -F _cucore cucore
