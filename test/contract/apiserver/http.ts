import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'

/** A server under comparison. */
export interface Target {
  readonly url: string
  readonly ca?: string
  readonly tokens: { readonly admin: string; readonly alice: string }
}

/** A response; the body is parsed if it is JSON. */
export interface Answer {
  readonly status: number
  readonly warning?: string
  readonly body: unknown
}

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }

/** Closes the connections of the driver. */
export function closeConnections(): void {
  agents.http.destroy()
  agents.https.destroy()
}

/** Sends one request without normalising its path; `onLine` reads a stream until it returns true. */
export function send(
  target: Target,
  given: {
    verb: string
    path: string
    user: 'admin' | 'alice'
    body?: unknown
    type?: string | undefined
    accept?: string | undefined
    onLine?: (line: string) => boolean
  },
): Promise<Answer> {
  const secure = target.url.startsWith('https')
  const { hostname, port } = new URL(target.url)
  const text = given.body === undefined ? undefined : JSON.stringify(given.body)
  const headers: { [name: string]: string } = {
    authorization: `Bearer ${target.tokens[given.user]}`,
    'user-agent': 'differential/1',
    accept: given.accept ?? 'application/json',
  }
  if (text !== undefined)
    Object.assign(headers, {
      'content-type': given.type ?? 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    })
  const options = {
    host: hostname,
    port,
    method: given.verb,
    path: given.path,
    headers,
    ...(target.ca ? { ca: target.ca } : {}),
  }
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) =>
      resolve(given.onLine ? readLines(answer, given.onLine) : readBody(answer))
    const call = secure
      ? httpsRequest({ ...options, agent: agents.https }, onAnswer)
      : httpRequest({ ...options, agent: agents.http }, onAnswer)
    call.once('error', reject)
    call.end(text)
  })
}

async function readBody(answer: IncomingMessage): Promise<Answer> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const warning = answer.headers['warning']
  return { status: answer.statusCode ?? 0, ...(warning ? { warning } : {}), body: parse(text) }
}

async function readLines(answer: IncomingMessage, onLine: (line: string) => boolean): Promise<Answer> {
  const events: unknown[] = []
  let rest = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    rest += chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      events.push(parse(line))
      if (!onLine(line)) continue
      answer.destroy()
      return { status: answer.statusCode ?? 0, body: events }
    }
  }
  return { status: answer.statusCode ?? 0, body: rest ? parse(rest) : events }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
