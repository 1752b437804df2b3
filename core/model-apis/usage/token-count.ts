const boundary = '\n\n'
/** Shorter events are comments and the end of a stream. */
const shortestChunk = 40
/** Bytes of an event without its text: further bytes count as text, whatever their field. */
const envelope = 400
/** Bytes of an event that are searched for text. A longer event is counted by its size. */
const mostRead = 64 * 1024
const bytesPerToken = 3

// Fields of text in streams of OpenAI's and Anthropic's API. A value that is cut has no end.
const textFields =
  /"(?:content|text|arguments|partial_json|thinking|reasoning|reasoning_content|refusal|delta)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)/g

/**
 * Estimates the tokens in events of a stream of OpenAI's or Anthropic's API. An event has at least one token, and its text about one per three
 * bytes. Events that are alike cost their text, too.
 *
 * @param events Bytes of whole events, or of one that has not ended, as Latin-1. Lines end with LF.
 */
export function estimateTokens(events: string): number {
  let tokens = 0
  for (let start = 0; start < events.length;) {
    const end = events.indexOf(boundary, start)
    const next = end === -1 ? events.length : end + boundary.length
    tokens += tokensOf(start === 0 && next === events.length ? events : events.slice(start, next))
    start = next
  }
  return tokens
}

function tokensOf(event: string): number {
  if (event.length < shortestChunk) return 0
  const read = event.length > mostRead ? event.slice(0, mostRead) : event
  let text = 0
  textFields.lastIndex = 0
  for (let found = textFields.exec(read); found !== null; found = textFields.exec(read)) text += found[1]?.length ?? 0
  return Math.max(1, Math.ceil(Math.max(text, event.length - envelope) / bytesPerToken))
}
