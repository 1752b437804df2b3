/** Returns the message of a JSON log line (`msg` or `message`), and any other line unchanged. */
export function messageOfLine(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const { msg, message } = JSON.parse(line) as { readonly msg?: unknown; readonly message?: unknown }
    const text = msg ?? message
    return typeof text === 'string' && text !== '' ? text : line
  } catch {
    return line
  }
}
