import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint.ts'
import { openEventStream } from '#core/http/event-stream.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { encodeFrame } from '#core/sse/frame.ts'

// `node --expose-gc stream-server.ts CLIENTS FRAMES BYTES`: serves event streams and prints its port; when so many clients are there, and a line came on
// standard input, each gets the frames, shared and unawaited as live frames are. Only signals end it.
const [clients = '1', frames = '1', bytes = '1'] = process.argv.slice(2)
const open = new Set<ReturnType<typeof openEventStream>>()
const full = Promise.withResolvers<void>()
const events = endpoint({
  method: 'GET',
  url: '/events',
  summary: 'Events.',
  authz: { kind: 'bearer' },
  stream: true,
  response: { 200: Type.Object({}) },
  handle: async (call) => {
    const stream = openEventStream(call)
    open.add(stream)
    void stream.closed.then(() => open.delete(stream))
    if (open.size === Number(clients)) full.resolve()
  },
})
const caps = { streams: { total: 10_000, perUser: 10_000 }, underWay: 10_000 }
const { app } = await buildServer({ after: () => undefined }, [{ endpoints: [events] }], caps)
await app.listen({ host: '127.0.0.1', port: 0 })
// Without garbage: bytes of the heap and of buffers. Counted by the server, since only it can collect.
const used = (): number => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
process.stdout.write(`${(app.server.address() as AddressInfo).port}\nempty ${used()}\n`)
await full.promise
process.stdout.write(`full ${used()}\n`)
await new Promise((resolve) => process.stdin.once('data', resolve))
let most = 0
for (let n = 0; n < Number(frames); n++) {
  const frame = encodeFrame({ id: String(n), event: 'message.delta', data: 'x'.repeat(Number(bytes)) })
  for (const stream of open) void stream.send(frame)
  if (n % 80 === 40) most = Math.max(most, used())
  // At most 60 MB/s in all, so that clients that read can keep up on the same machine.
  await sleep(Math.max(5, (open.size * frame.length) / 60_000))
}
process.stdout.write(`sent ${open.size} ${most}\n`)
await new Promise(() => undefined)
