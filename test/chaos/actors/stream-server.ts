import type { EventStream } from '#core/http/stream/event-stream.ts'
import { serveEventStreams } from '#core/http/testing/serve-event-streams.ts'
import { encodeFrame } from '#core/sse/frame.ts'

// `node --expose-gc stream-server.ts CLIENTS FRAMES BYTES`: serves event streams and prints its port. Once that many clients are connected,
// each receives the frames, shared and not awaited like live frames. A byte on standard input sends one more; `#` ends a frame. Runs until
// it gets a signal.
const [clients = '1', frames = '1', bytes = '1'] = process.argv.slice(2)
const open = new Set<EventStream>()
const full = Promise.withResolvers<void>()
const port = await serveEventStreams((stream) => {
  open.add(stream)
  void stream.closed.then(() => open.delete(stream))
  if (open.size === Number(clients)) full.resolve()
})
// Bytes of heap and buffers without garbage. Measured by the server, since only it can collect.
const used = (): number => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
process.stdout.write(`${port}\nempty ${used()}\n`)
await full.promise
process.stdout.write(`full ${used()}\n`)
let most = 0
let sent = 0
for await (const wanted of process.stdin as AsyncIterable<Buffer>)
  for (const end = Math.min(Number(frames), sent + wanted.length); sent < end;) {
    const data = `${'x'.repeat(Number(bytes))}#`
    const frame = encodeFrame({ id: String(sent), event: 'message.delta', data })
    for (const stream of open) void stream.send(frame)
    if (sent % 20 === 10) most = Math.max(most, used())
    if (++sent === Number(frames)) process.stdout.write(`sent ${open.size} ${most}\n`)
  }
