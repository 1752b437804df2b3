import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Address and certificate authority of the API server of a kubeconfig. */
export function clusterOf(kubeconfig: string): { readonly server: string; readonly ca: string } {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: readonly { cluster: { server: string; 'certificate-authority-data'?: string } }[]
  }
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {}
  return { server, ca: Buffer.from(ca, 'base64').toString() }
}
