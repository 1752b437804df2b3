import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import { conceal } from '#core/log/secrets.ts'
import type { McpCredential } from '#schemas/api/mcp.ts'
import type { McpServerSpec } from '#schemas/crds/mcp-server.ts'
import { MANAGED_BY, MCP_CREDENTIAL_LABEL, ORIGIN_ANNOTATION } from '#schemas/names/labels.ts'
import { BEARER_PATTERN, HEADER_VALUE_PATTERN } from '../client/credential.ts'
import type { SentCredential } from '../client/credential.ts'

/** Key of the Secret that holds a pasted credential. */
export const CREDENTIAL_FIELD = 'credential'

/** A credential of a request, as the spec, the Secret and the session need it. */
export interface GivenCredential {
  readonly spec: Pick<McpServerSpec, 'auth' | 'secretRef'>
  readonly secret: KubeObject | undefined
  readonly sent: SentCredential
  readonly expectsGrant: boolean
}

/** A server whose credential was pasted. */
export interface CredentialOwner {
  readonly namespace: DnsLabel
  readonly name: DnsName
  readonly url: string
}

/** Name of the Secret of a server whose credential was pasted over the API. */
export function nameOfCredential(server: string): DnsName {
  return parseName('/name', `${server}-mcp-credential`)
}

/** Reads a credential. Throws `invalid_body` if its fields do not fit its kind; no message contains the value. */
export function readCredential(owner: CredentialOwner, given: McpCredential = { kind: 'none' }): GivenCredential {
  const { kind, value, header, clientId } = given
  requireFields(given)
  const sent = { bearer: undefined }
  const granted = { auth: { kind: 'oauth', ...(clientId === undefined ? {} : { clientId }) } } as const
  if (value === undefined)
    return { spec: kind === 'oauth' ? granted : {}, secret: undefined, sent, expectsGrant: kind === 'oauth' }
  conceal(value)
  const secretRef = { name: nameOfCredential(owner.name), key: CREDENTIAL_FIELD }
  const secret = toCredentialSecret(owner, value)
  if (kind === 'oauth') return { spec: { ...granted, secretRef }, secret, sent, expectsGrant: true }
  if (header === undefined)
    return { spec: { auth: { kind: 'bearer' }, secretRef }, secret, sent: { bearer: value }, expectsGrant: false }
  return {
    spec: { auth: { kind: 'header', header }, secretRef },
    secret,
    sent: { bearer: undefined, header: { name: header, value } },
    expectsGrant: false,
  }
}

function requireFields({ kind, value, header, clientId }: McpCredential): void {
  const hasValue = kind === 'bearer' || kind === 'header'
  if (clientId !== undefined && kind !== 'oauth') throw refusal('clientId', `is not allowed for the kind ${kind}`)
  if (hasValue && value === undefined) throw refusal('value', `is required for the kind ${kind}`)
  if (value !== undefined && kind === 'none') throw refusal('value', 'is not allowed for the kind none')
  if (value !== undefined && kind === 'oauth' && clientId === undefined)
    throw refusal('value', 'is the secret of clientId for the kind oauth, which is missing')
  if ((kind === 'header') !== (header !== undefined))
    throw refusal(
      'header',
      kind === 'header' ? 'is required for the kind header' : `is not allowed for the kind ${kind}`,
    )
  if (value === undefined) return
  if (kind !== 'header' && !BEARER_PATTERN.test(value))
    throw refusal('value', 'must be visible ASCII without spaces, at most 8192 characters')
  if (!HEADER_VALUE_PATTERN.test(value))
    throw refusal('value', 'must be printable ASCII without a space at either end, at most 8192 characters')
}

function refusal(field: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer: `/credential/${field}`, detail }] })
}

/** The label and the origin by which the platform accepts a credential (B7), and its value. */
export function credentialParts(url: string, value: string) {
  return {
    labels: { [MCP_CREDENTIAL_LABEL]: 'true', [MANAGED_BY.label]: MANAGED_BY.value },
    annotations: { [ORIGIN_ANNOTATION]: new URL(url).origin },
    data: { [CREDENTIAL_FIELD]: Buffer.from(value, 'latin1').toString('base64') },
  }
}

function toCredentialSecret({ namespace, name, url }: CredentialOwner, value: string): KubeObject {
  const { data, ...marks } = credentialParts(url, value)
  const metadata = { namespace, name: nameOfCredential(name), ...marks }
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data }
}
