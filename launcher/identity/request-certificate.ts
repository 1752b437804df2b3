import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { certificates } from '#plugins/agents/contract/wire.ts'
import { readResponse } from '#schemas/wire/read-response.ts'
import type { ReceivedResponse } from '#schemas/wire/read-response.ts'

/** A request for a certificate. */
export interface CertificateCall {
  readonly stateUrl: string
  readonly bearer: string | undefined
  /** Public key, base64url (RFC 8037). */
  readonly x: string
}

/** Thrown if the state role issues no certificate; the message contains the reason. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused'
}

const timeoutMs = 10_000
const mostBytes = 64 * 1024

/**
 * Requests a certificate from the state role. It uses node:http: every launcher calls it at its start, and undici would stay in memory. Rejects with
 * `CertificateRefused`, or with the error of the connection.
 */
export async function requestCertificate({ stateUrl, bearer, x }: CertificateCall): Promise<string> {
  const url = new URL(`${stateUrl}${certificates.path}`)
  const received = await post(url, JSON.stringify({ x }), {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  })
  const { status, value, problem } = readResponse(certificates, received)
  if (value !== undefined) return value.certificate
  const why = [problem.code, problem.detail].filter((part) => part !== undefined).join(': ')
  throw new CertificateRefused(`the state role responded with ${status} ${why.slice(0, 300)}`.trimEnd())
}

function post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<ReceivedResponse> {
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
      buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, headers: {}, bytes }), reject)
    })
    request.end(body)
  })
}
