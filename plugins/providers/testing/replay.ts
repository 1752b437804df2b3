import { readFileSync, readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'

/** Replays an exchange: status line, headers, an empty line and the body, which arrives in small parts that split characters and lines. */
export function replay(file: string, response: ServerResponse): void {
  const text = readFileSync(file, 'utf8')
  const end = text.indexOf('\n\n')
  const [first = '', ...headers] = text.slice(0, end).split('\n')
  for (const header of headers) {
    const [field = '', value = ''] = header.split(': ')
    response.setHeader(field, value)
  }
  response.writeHead(Number(first.split(' ')[1]))
  const body = Buffer.from(text.slice(end + 2))
  for (let at = 0; at < body.length; at += 11) response.write(body.subarray(at, at + 11))
  response.end()
}

/** Names of the exchanges in a folder. */
export function exchangesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.http'))
    .map((file) => join(file).replace(/\.http$/, ''))
    .toSorted()
}
