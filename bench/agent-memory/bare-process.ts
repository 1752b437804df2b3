// A floor: a server of node:http that forwards each request by undici's dispatch to a second one in its own process, which appends to a
// list of Redis or reads it, and checks nothing. Prints its port.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createClient } from '@redis/client'
import { Pool } from 'undici'

const isStore = process.argv[2] === 'store'
const answer = isStore ? await openStore() : await openForward()

async function openStore() {
  const redis = createClient({ url: process.env.REDIS_URL ?? '' })
  redis.on('error', () => process.exit())
  process.once('disconnect', () => process.exit())
  await redis.connect()
  return async (request: IncomingMessage, body: string): Promise<string> => {
    const key = (request.url ?? '').replace(/\/append$/, '')
    if (request.method === 'POST') return JSON.stringify({ length: await redis.rPush(key, body) })
    return `[${(await redis.lRange(key, 0, -1)).join(',')}]`
  }
}

async function openForward() {
  const store = fork(import.meta.filename, ['store'])
  const [port] = (await once(store, 'message')) as [number]
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 256, pipelining: 1 })
  const headers = { 'content-type': 'application/json' }
  return ({ url: path = '/', method }: IncomingMessage, body: string) =>
    new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = []
      const options = method === 'POST' ? { path, method: 'POST', headers, body } : { path, method: 'GET' }
      pool.dispatch(options as Parameters<Pool['dispatch']>[0], {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(Buffer.concat(chunks).toString()),
        onResponseError: (_, error) => reject(error),
      })
    })
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const text = await answer(request, Buffer.concat(chunks).toString())
    const status = request.method === 'POST' ? 201 : 200
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  if (isStore) process.send?.(port)
  else process.stdout.write(`${port}\n`)
})
