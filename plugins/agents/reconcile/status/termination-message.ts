import { messageOfLine } from '#core/log/message-of-line.ts'

/** Maximum length of a log line in a condition, in characters. */
const MOST = 200

/**
 * Returns the last line of a termination message, which is the end of the container's log (policy `FallbackToLogsOnError`).
 * For a line in JSON, its message is returned; undefined for an empty log.
 */
export function lastLine(message: string | undefined): string | undefined {
  const lines = (message ?? '').split('\n').map(printable).filter(Boolean)
  const line = lines.at(-1)
  return line === undefined ? undefined : shortened(printable(messageOfLine(line)))
}

/** Returns the program that a container runtime or tini did not find; undefined for any other message. */
export function missingProgram(message: string | undefined): string | undefined {
  const found =
    /exec: "([^"\n]{1,200})": (?:executable file not found|stat [^\n]* no such file)/.exec(message ?? '') ??
    /exec (\S{1,200}) failed: No such file or directory/.exec(message ?? '') ??
    /program (\S{1,200}) not found/.exec(message ?? '')
  return found?.[1] === undefined ? undefined : printable(found[1])
}

// Logs may contain any characters, and conditions are shown in terminals.
function printable(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').trim()
}

function shortened(text: string): string {
  const characters = Array.from(text)
  return characters.length <= MOST ? text : `${characters.slice(0, MOST).join('')}...`
}
