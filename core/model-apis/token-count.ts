const LF = 0x0a
/** Shorter frames are comments and the end of a stream. */
const shortestChunk = 40
/** Bytes of a frame without its text: what is longer counts as text, whichever field has it. */
const envelope = 400
/** Bytes of a frame that are read for text. The envelope covers a longer one. */
const mostRead = 64 * 1024
const bytesPerToken = 3

// Fields of text in streams of OpenAI's and Anthropic's API. A value that is cut has no end.
const textFields =
  /"(?:content|text|arguments|partial_json|thinking|reasoning|reasoning_content|refusal|delta)"\s*:\s*"((?:[^"\\]|\\.)*)/g

/** Estimates the tokens of a streamed answer while it is relayed. */
export interface TokenCount {
  /** Bytes of the stream, divided anywhere. They are not kept. */
  add(bytes: Buffer): void
  /** Tokens of the response so far. */
  tokens(): number
}

/**
 * Creates a count for a stream of server-sent events of OpenAI's or Anthropic's API. A frame has at least one token, and its text about one per
 * three bytes. Frames that are alike cost their text, too.
 */
export function createTokenCount(): TokenCount {
  let tokens = 0
  let rest: Buffer[] = []
  let size = 0
  let line = 0
  const keep = (part: Buffer): void => {
    if (size < mostRead && part.length > 0) rest.push(part)
    size += part.length
  }
  const endFrame = (): void => {
    tokens += tokensOf(rest, size)
    rest = []
    size = 0
  }
  return {
    add(chunk) {
      let start = 0
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        keep(chunk.subarray(start, at + 1))
        line += at - start
        start = at + 1
        // An empty line ends a frame. It may have a CR.
        if (line <= 1) endFrame()
        line = 0
      }
      keep(chunk.subarray(start))
      line += chunk.length - start
      // Copied once at its end: the chunk is not kept.
      if (rest.length > 0) rest = [Buffer.concat(rest)]
    },
    // A frame that has not ended was generated, too.
    tokens: () => tokens + tokensOf(rest, size),
  }
}

function tokensOf(parts: readonly Buffer[], size: number): number {
  if (size < shortestChunk) return 0
  const read = parts.length === 1 ? parts[0] : Buffer.concat(parts)
  let text = 0
  for (const [, value = ''] of read?.toString('latin1', 0, mostRead).matchAll(textFields) ?? []) text += value.length
  return Math.max(1, Math.ceil(Math.max(text, size - envelope) / bytesPerToken))
}
