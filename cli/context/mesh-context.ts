import { isObject } from '#core/json/is-object.ts'
import { oneOf } from '#schemas/values/nearest.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { API_EXTENSION, namedEntries, textField } from './kubeconfig-file.ts'
import type { KubeconfigFile } from './kubeconfig-file.ts'

/** A context: who calls which API, in which namespace. Several files count as one, and of equal names the first one counts. */
export interface MeshContext {
  readonly name: string
  /** File of the context, and of its cluster entry. */
  readonly file: string
  readonly cluster: { readonly name: string; readonly file: KubeconfigFile } | undefined
  readonly namespace: string | undefined
  readonly user: unknown
  /** Content of the extension `mesh.dev/api` of its cluster. */
  readonly api: unknown
}

/** The contexts of kubeconfig files. */
export function contextsOf(files: readonly KubeconfigFile[]): readonly MeshContext[] {
  const all = files.flatMap((file) => namedEntries(file, 'contexts').map((entry) => ({ file, entry })))
  const first = all.filter(({ entry }, index) => all.findIndex((one) => one.entry.name === entry.name) === index)
  return first.map(({ file, entry }) => {
    const cluster = find(files, 'clusters', textField(entry.context, 'cluster'))
    return {
      name: entry.name,
      file: file.path,
      cluster: cluster && { name: cluster.entry.name, file: cluster.file },
      namespace: textField(entry.context, 'namespace'),
      user: find(files, 'users', textField(entry.context, 'user'))?.entry.user,
      api: extensionOf(cluster?.entry.cluster),
    }
  })
}

/** Name of the current context. */
export function currentContext(files: readonly KubeconfigFile[]): string | undefined {
  return files.map(({ content }) => textField(content, 'current-context')).find((name) => name !== undefined)
}

/** The context of a name, or the current one; undefined without any. Throws `CliProblem` for an unknown name. */
export function findContext(files: readonly KubeconfigFile[], name: string | undefined): MeshContext | undefined {
  const wanted = name ?? currentContext(files)
  if (wanted === undefined) return undefined
  const contexts = contextsOf(files)
  const found = contexts.find((one) => one.name === wanted)
  if (found !== undefined) return found
  const where = files.map(({ path }) => path).join(', ')
  const known = contexts.map((one) => one.name)
  const near = known.length === 0 ? '' : `: must be ${oneOf(known, wanted)}`
  const problem = where === '' ? 'is not known, as there is no kubeconfig' : `is not in ${where}${near}`
  const title = `context ${JSON.stringify(wanted.slice(0, 60))}`
  throw new CliProblem(toSafeText(`${title} ${problem}`), 'meshctl context list shows the contexts.')
}

function find(files: readonly KubeconfigFile[], list: 'clusters' | 'users', name: string | undefined) {
  for (const file of files) {
    const entry = namedEntries(file, list).find((one) => one.name === name)
    if (entry !== undefined) return { file, entry }
  }
  return undefined
}

function extensionOf(cluster: unknown): unknown {
  const extensions = isObject(cluster) && Array.isArray(cluster.extensions) ? cluster.extensions : []
  const found: unknown = extensions.find((one) => isObject(one) && one.name === API_EXTENSION)
  return isObject(found) ? found.extension : undefined
}
