import { defineOfflineCommand } from '#cli/contract/command.ts'

const kubeconfig = { value: 'FILE', help: 'kubeconfig; default: KUBECONFIG, then ~/.kube/config' } as const

/** `meshctl context list`. */
export const listContexts = defineOfflineCommand({
  words: 'context list',
  summary: 'list the contexts of the kubeconfig and their servers',
  options: { kubeconfig },
  load: async () => (await import('./list-contexts.ts')).listContextsOf,
})

/** `meshctl context use`. */
export const useContext = defineOfflineCommand({
  words: 'context use',
  summary: 'make a context the current one, also for kubectl',
  examples: [['context use staging', 'staging is used until another context is']],
  options: { name: { positional: true, required: true, help: 'the context' }, kubeconfig },
  load: async () => (await import('./change-context.ts')).useContextOf,
})

/** `meshctl context set`. */
export const setContext = defineOfflineCommand({
  words: 'context set',
  summary: 'keep the address of the API in a context',
  examples: [['context set --server https://mesh.example.com', 'the current context calls this server']],
  description: `Writes the address to the kubeconfig, as the extension mesh.dev/api of the cluster entry of the context. Contexts of the same
cluster share it. Token and namespace are those that kubectl uses.`,
  options: {
    name: { positional: true, help: 'the context; default: the current one' },
    server: { value: 'URL', required: true, help: 'address of the API', parse: toServer },
    'certificate-authority': { value: 'FILE', help: 'PEM of the certificate authority, copied into the kubeconfig' },
    kubeconfig,
  },
  load: async () => (await import('./change-context.ts')).setContextOf,
})

function toServer(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error('must be a URL such as https://mesh.example.com')
  return text
}
