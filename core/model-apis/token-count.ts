const LF = 0x0a
/** Shorter frames are comments and the end of a stream. */
const shortestChunk = 40
/** Bytes of a frame without its text, if no whole frame has arrived. */
const longestEnvelope = 400

/** Estimates the tokens of a streamed answer while it is relayed. */
export interface TokenCount {
  /** Bytes of the stream, divided anywhere. They are not kept. */
  add(bytes: Buffer): void
  /** Tokens of the answer so far. */
  tokens(): number
}

/**
 * Creates a count for a stream of server-sent events of OpenAI's or Anthropic's API. A frame has at least one token. What a frame has more
 * than the shortest one is text, of about three bytes per token.
 */
export function createTokenCount(): TokenCount {
  let frames = 0
  let bytes = 0
  let shortest = Number.POSITIVE_INFINITY
  let frame = 0
  let line = 0
  const endFrame = (): void => {
    if (frame >= shortestChunk) {
      frames++
      bytes += frame
      shortest = Math.min(shortest, frame)
    }
    frame = 0
  }
  return {
    add(chunk) {
      let start = 0
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        frame += at + 1 - start
        line += at - start
        start = at + 1
        // An empty line ends a frame. It may have a CR.
        if (line <= 1) endFrame()
        line = 0
      }
      frame += chunk.length - start
      line += chunk.length - start
    },
    // A frame that has not ended was generated, too.
    tokens() {
      const ended = frames === 0 ? 0 : frames + Math.ceil((bytes - frames * shortest) / 3)
      if (frame < shortestChunk) return ended
      return ended + 1 + Math.ceil(Math.max(frame - Math.min(shortest, longestEnvelope), 0) / 3)
    },
  }
}
