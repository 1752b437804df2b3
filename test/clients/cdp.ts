import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A message of the Chrome DevTools Protocol. */
export interface CdpMessage {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

/** A tab of a headless Chromium. */
export interface Tab {
  send(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

const START_MS = 60_000

/** Starts Chromium with an empty profile and opens a tab. `onEvent` receives events of the enabled domains. */
export async function openTab(
  program: string,
  profile: string,
  onEvent: (method: string, params: Readonly<Record<string, unknown>>) => void,
): Promise<Tab> {
  const flags = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--no-first-run']
  // Root has no sandbox; the pages are our own.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const child = spawn(program, [...flags, ...root, '--disable-gpu', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const killNow = (): void => void child.kill('SIGKILL')
  process.on('exit', killNow)
  const timer = setTimeout(killNow, START_MS)
  try {
    const address = await addressOf(child.stderr)
    const call = await connect(address, onEvent)
    const { targetId } = await call('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
    return {
      send: (method, params = {}) => call(method, params, String(sessionId)),
      close: async () => {
        await call('Browser.close').catch(() => undefined)
        await ended
        process.off('exit', killNow)
      },
    }
  } catch (error) {
    killNow()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const found = /^DevTools listening on (ws:\S+)$/.exec(line)?.[1]
    if (found !== undefined) {
      stderr.resume()
      return found
    }
  }
  throw new Error('Chromium ended before it listened')
}

async function connect(
  address: string,
  onEvent: (method: string, params: Readonly<Record<string, unknown>>) => void,
): Promise<(method: string, params?: object, sessionId?: string) => Promise<Readonly<Record<string, unknown>>>> {
  const socket = new WebSocket(address)
  const waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>()
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, method, params = {}, result = {}, error } = JSON.parse(String(data)) as CdpMessage
    if (method !== undefined) onEvent(method, params)
    else if (error !== undefined) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
  })
  socket.addEventListener('close', () => {
    for (const one of waiting.values()) one.reject(new Error('Chromium closed the connection'))
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let last = 0
  return (method, params = {}, sessionId = undefined) => {
    const one = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    waiting.set(++last, one)
    socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    return one.promise
  }
}
