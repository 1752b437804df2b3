import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { createSend } from '#test/flows/platform/send.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Ready } from './installation.ts'

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string }
  }[]
}

/** A namespace as the embedded API server sends it to a client that wants YAML. */
export async function namespaceAsYaml(t: Scope, { kubeconfig, tokens }: Ready): Promise<string> {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {}
  const send = createSend(t, server, Buffer.from(ca, 'base64').toString())
  const headers = { accept: 'application/yaml' }
  return (await send({ path: '/api/v1/namespaces/default', bearer: tokens['admin'], headers })).text
}
