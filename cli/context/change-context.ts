import { readFileSync, realpathSync } from 'node:fs'
import { isSeq } from 'yaml'
import { isObject } from '#core/json/is-object.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'
import { writePrivateFile } from '#cli/contract/write-private-file.ts'
import { API_EXTENSION, namedEntries, readKubeconfigs } from './kubeconfig-file.ts'
import type { KubeconfigFile } from './kubeconfig-file.ts'
import { findContext } from './mesh-context.ts'

interface UseValues {
  readonly name: string
  readonly kubeconfig: string | undefined
}

/** Makes a context the current one. As with kubectl, the first file keeps it. */
export async function useContextOf({ values, env, out }: CliInput<UseValues>): Promise<number> {
  const files = readKubeconfigs(values.kubeconfig, env)
  findContext(files, values.name)
  const [first] = files
  if (first === undefined) throw new CliProblem('there is no kubeconfig')
  first.document.set('current-context', values.name)
  await write(first)
  out(`${values.name}\n`)
  return 0
}

interface SetValues {
  readonly name: string | undefined
  readonly server: string
  readonly 'certificate-authority': string | undefined
  readonly kubeconfig: string | undefined
}

/** Writes the extension of the cluster entry of a context. */
export async function setContextOf({ values, env, out }: CliInput<SetValues>): Promise<number> {
  const context = findContext(readKubeconfigs(values.kubeconfig, env), values.name)
  if (context === undefined) throw new CliProblem('there is no current context', 'Name one: meshctl context list')
  const { name, cluster } = context
  if (cluster === undefined) throw new CliProblem(`context ${name}: its cluster is not in the kubeconfig`)
  const file = values['certificate-authority']
  const authority = file === undefined ? {} : { 'certificate-authority-data': readAuthority(file) }
  setExtension(cluster, { server: values.server, ...authority })
  await write(cluster.file)
  out(`${name}\t${values.server}\n`)
  return 0
}

function setExtension(
  { name, file }: { readonly name: string; readonly file: KubeconfigFile },
  extension: object,
): void {
  const { document } = file
  const clusters = Array.isArray(file.content['clusters']) ? file.content['clusters'] : []
  const index = clusters.findIndex((entry) => isObject(entry) && entry.name === name)
  const path = ['clusters', index, 'cluster', 'extensions']
  const kept = extensionsOf(file, name).filter((one) => !isObject(one) || one.name !== API_EXTENSION)
  document.setIn(path, document.createNode([...kept, { name: API_EXTENSION, extension }]))
  if (!isSeq(document.getIn(path))) throw new CliProblem(`kubeconfig ${file.path}: cluster ${name} cannot be changed`)
}

function extensionsOf(file: KubeconfigFile, name: string): readonly unknown[] {
  const cluster = namedEntries(file, 'clusters').find((entry) => entry.name === name)?.['cluster']
  return isObject(cluster) && Array.isArray(cluster.extensions) ? cluster.extensions : []
}

function readAuthority(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliProblem(`--certificate-authority ${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new CliProblem(`--certificate-authority ${file}: has no certificate in PEM`)
  return Buffer.from(text).toString('base64')
}

async function write({ path, document }: KubeconfigFile): Promise<void> {
  try {
    // The file itself is replaced, not a link to it.
    await writePrivateFile(realpathSync(path), [document.toString()])
  } catch (error) {
    throw new CliProblem(`kubeconfig ${path}: cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}
