/**
 * The script of bash, in place of that of the library: this one evaluates neither the line nor names of files, and needs no bash-completion. It
 * runs on bash 3.2, which macOS has.
 */
export const bashScript = String.raw`# bash completion for meshctl
__meshctl_complete() {
    local line=\${COMP_LINE:0:COMP_POINT} words=() args=() count=0 i rest word prefix value isTarget=0
    # Words as typed: bash also splits them at = and :.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        rest=\${line#"\${line%%[![:space:]]*}"}
        word=\${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$rest
        if [[ $i -eq 0 || $rest != "$line" ]]; then
            words[count++]=$word
        else
            words[count - 1]+=$word
        fi
        line=\${rest#"$word"}
    done
    # What bash keeps of the last word.
    prefix=\${words[count - 1]}
    [[ $word == [=:] ]] || prefix=\${prefix%"$word"}
    # Redirections are no arguments.
    for ((i = 1; i < count; i++)); do
        value=\${words[i]}
        if ((isTarget)); then
            isTarget=0
        elif ((i < count - 1)) && [[ $value =~ ^[0-9\&]*[\<\>]+[\&\|]*$ ]]; then
            isTarget=1
        elif [[ ! $value =~ ^[0-9\&]*[\<\>] ]]; then
            args+=("\${value//\\/}")
        fi
    done
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :6 ]]; then
            compopt -o nospace 2> /dev/null
        elif [[ $line == *$'\t'* ]]; then
            value=\${line%%$'\t'*}
            printf -v value %q "\${value#"\${prefix//\\/}"}"
            COMPREPLY+=("$value")
        fi
    done < <(meshctl complete -- "\${args[@]}" 2> /dev/null)
}
complete -F __meshctl_complete meshctl
`.replaceAll('\\${', '${')
