import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { isObject } from '#core/json/is-object.ts'

/** A request for a certificate. */
export interface CertificateCall {
  readonly stateUrl: string
  readonly bearer: string | undefined
  /** Public key, base64url (RFC 8037). */
  readonly x: string
}

/** The state role gave no certificate; the message says why. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused'
}

const timeoutMs = 10_000
const mostBytes = 64 * 1024

/**
 * Asks the state role for a certificate. It uses node:http: every launcher calls it at its start, and undici would stay in memory. Rejects
 * with `CertificateRefused`, or with the error of the connection.
 */
export async function requestCertificate({ stateUrl, bearer, x }: CertificateCall): Promise<string> {
  const url = new URL(`${stateUrl}/launchers/certificates`)
  const { status, body } = await post(url, JSON.stringify({ x }), {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  })
  const answer = parse(body)
  if (status === 201 && typeof answer['certificate'] === 'string') return answer['certificate']
  const why = [answer['code'], answer['detail']].filter((part) => typeof part === 'string').join(': ')
  throw new CertificateRefused(`the state role responded with ${status} ${why.slice(0, 300)}`.trimEnd())
}

interface Received {
  readonly status: number
  readonly body: string
}

function post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<Received> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'POST', headers, agent: false, signal })
    request.on('error', reject)
    request.on('response', (response) => {
      let received = 0
      response.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > mostBytes)
          response.destroy(new CertificateRefused('the response of the state role is too large'))
      })
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject)
    })
    request.end(body)
  })
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
