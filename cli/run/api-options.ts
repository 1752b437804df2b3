import { outputFormats } from '#cli/output/create-printer.ts'

/** Options of every command. */
export const colorOptions = { 'no-color': { help: 'no colours on a terminal, as with NO_COLOR' } } as const

/** Options of every command that calls the API. */
export const apiOptions = {
  namespace: { value: 'NAME', short: 'n', help: 'namespace; default: that of the context' },
  output: { oneOf: outputFormats, short: 'o', default: 'table', help: 'format of the result' },
  context: { value: 'NAME', help: 'context of the kubeconfig; default: the current one' },
  kubeconfig: { value: 'FILE', help: 'kubeconfig; default: KUBECONFIG, then ~/.kube/config' },
  server: { value: 'URL', help: 'address of the API; default: MESH_SERVER, then the context' },
  'token-file': { value: 'FILE', help: 'file with a bearer token; default: MESH_TOKEN, then the context' },
  'certificate-authority': { value: 'FILE', help: 'PEM of the certificate authority of the API' },
  timeout: { value: 'SECONDS', default: '30', help: 'longest wait for a response', parse: toSeconds },
} as const

function toSeconds(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw new Error('must be 1 to 9999')
  return Number(text)
}
