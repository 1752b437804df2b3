import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { personas } from '#local/data-folder/personas.ts'
import { SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import type { RawRequest } from '#test/flows/platform/send.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'

/** The credential of a request, and its user according to the API server. */
export interface Credential {
  readonly name: string
  readonly headers?: NonNullable<RawRequest['headers']>
  readonly bearer?: string
  /** User name at the API server; undefined if the credential is not authenticated (401). */
  readonly user?: string
}

/** The eleven credentials of the matrix: five without a user, the five personas, and the BFF's own account. */
export async function makeCredentials(platform: Platform): Promise<readonly Credential[]> {
  const { tokens } = platform
  return [
    { name: 'none' },
    { name: 'empty', headers: { authorization: 'Bearer ' } },
    { name: 'garbage', bearer: 'not-a-token' },
    { name: 'expired', bearer: await expiredToken(platform) },
    { name: 'wrong audience', bearer: await issueToken(platform, ['gateway']) },
    ...personas.map((name) => ({ name, user: name, bearer: tokens[name] })),
    { name: 'bff', user: accountOf('bff'), bearer: await issueToken(platform) },
  ]
}

/** User name of a role's service account. */
export function accountOf(role: string): string {
  return `system:serviceaccount:${SYSTEM_NAMESPACE}:mesh-${role}`
}

/** Adds a credential to a request. */
export function as(credential: Credential, request: RawRequest): RawRequest {
  return { ...request, bearer: credential.bearer, headers: { ...request.headers, ...credential.headers } }
}

/** Issues a token of the BFF's service account; by default for the audience of the API server. */
async function issueToken({ kube, tokens }: Platform, audiences?: readonly string[]): Promise<string> {
  const answer = await kube({
    method: 'POST',
    path: `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/mesh-bff/token`,
    bearer: tokens.admin,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3600, ...(audiences === undefined ? {} : { audiences }) },
    },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.json<{ status: { token: string } }>().status.token
}

// No API server issues an expired token, so a valid one is signed again with the issuer's key and earlier times.
async function expiredToken(platform: Platform): Promise<string> {
  const [header = '', body = ''] = (await issueToken(platform)).split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { iat: number; nbf: number; exp: number }
  const key = createPrivateKey(readFileSync(platform.issuerKeyFile))
  const signed = (age: number): string => {
    const { iat, nbf, exp } = claims
    const older = { ...claims, iat: iat - age, nbf: (nbf ?? iat) - age, exp: exp - age }
    const text = `${header}.${Buffer.from(JSON.stringify(older)).toString('base64url')}`
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const version = async (bearer: string): Promise<number> => (await platform.kube({ path: '/api', bearer })).status
  assert.equal(await version(signed(1)), 200, 'signed again it is accepted: only its age makes it bad')
  const expired = signed(2 * 3600)
  assert.equal(await version(expired), 401)
  return expired
}
