import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isObject } from '#core/json/is-object.ts'
import { conceal } from '#core/log/secrets.ts'
import { isLoopbackAddress } from '#core/net/loopback-host.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { kubeconfigPaths, readKubeconfigs, textField } from './kubeconfig-file.ts'
import { findContext } from './mesh-context.ts'
import type { MeshContext } from './mesh-context.ts'

/** How the API is reached, and as whom. */
export interface ApiAccess {
  readonly server: URL
  /** PEM of its certificate authority; undefined for those of the system. */
  readonly ca: string | undefined
  readonly namespace: string
  /** Origin of the token, for messages. */
  readonly source: string
  token(): Promise<string>
}

/** Flags of a connection. */
export interface AccessFlags {
  readonly server?: string | undefined
  readonly context?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly namespace?: string | undefined
  readonly 'token-file'?: string | undefined
  readonly 'certificate-authority'?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Finds address, authority, namespace and token: of a flag, of the environment, of the context. Throws `CliProblem`. */
export function findAccess(flags: AccessFlags, env: Environment): ApiAccess {
  const context = findContext(readKubeconfigs(flags.kubeconfig, env), flags.context)
  return {
    server: serverOf(flags.server ?? env['MESH_SERVER'] ?? textField(context?.api, 'server')),
    ca: authorityOf(flags['certificate-authority'], context),
    namespace: flags.namespace ?? context?.namespace ?? 'default',
    ...tokenOf(flags, env, context),
  }
}

const ADDRESS_HINT = 'meshctl context set --server URL keeps it in the context; MESH_SERVER names another one.'
const TOKEN_HINT = 'The API takes bearer tokens; MESH_TOKEN gives one.'

function serverOf(address: string | undefined): URL {
  if (address === undefined) throw new CliProblem('the address of the API is not known', ADDRESS_HINT)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const shown = JSON.stringify(address.slice(0, 60))
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new CliProblem(`server ${shown}: must be a URL such as https://mesh.example.com`, ADDRESS_HINT)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new CliProblem(`server of ${url.host}: must have neither credentials nor a query`, ADDRESS_HINT)
  // A token on the way would be readable.
  if (url.protocol === 'http:' && !isLoopbackAddress(url.hostname.replaceAll(/[[\]]/g, '')))
    throw new CliProblem(`server ${shown}: must be https, except on this machine`, ADDRESS_HINT)
  return url
}

function authorityOf(flag: string | undefined, context: MeshContext | undefined): string | undefined {
  if (flag !== undefined) return readFlagFile('--certificate-authority', flag)
  const data = textField(context?.api, 'certificate-authority-data')
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8')
  const file = textField(context?.api, 'certificate-authority')
  return file === undefined ? undefined : readFlagFile('certificate-authority', besideConfig(file, context))
}

function tokenOf(
  flags: AccessFlags,
  env: Environment,
  context: MeshContext | undefined,
): Pick<ApiAccess, 'source' | 'token'> {
  const { 'token-file': file } = flags
  const given = env['MESH_TOKEN']
  if (file !== undefined)
    return { source: `--token-file ${file}`, token: async () => checkToken(`--token-file ${file}`, readToken(file)) }
  if (given !== undefined && given !== '')
    return { source: 'MESH_TOKEN', token: async () => checkToken('MESH_TOKEN', given) }
  if (context === undefined) throw new CliProblem('no token', '--context or MESH_TOKEN gives one.')
  return {
    source: `context ${context.name}`,
    token: () => tokenOfUser(context, kubeconfigPaths(flags.kubeconfig, env)),
  }
}

async function tokenOfUser(context: MeshContext, paths: readonly string[]): Promise<string> {
  const { user, name } = context
  const token = textField(user, 'token')
  if (token !== undefined) return checkToken(`context ${name}`, token)
  const file = textField(user, 'tokenFile')
  if (file !== undefined) return checkToken(`context ${name}`, readToken(besideConfig(file, context)))
  if (!isObject(user) || (user.exec === undefined && user['auth-provider'] === undefined))
    throw new CliProblem(`context ${name}: its user has no token`, TOKEN_HINT)
  return tokenOfPlugin(name, paths)
}

// The library of exec plugins and OIDC costs 0.8 s at import. Of several files it reads those of KUBECONFIG itself.
async function tokenOfPlugin(context: string, paths: readonly string[]): Promise<string> {
  const file = paths.length === 1 ? paths[0] : undefined
  const { loadKubeconfig } = await import('#core/kube/kubeconfig/load-kubeconfig.ts')
  try {
    const { bearer } = await loadKubeconfig({ context, ...(file === undefined ? {} : { file }) })
    if (typeof bearer === 'function') return checkToken(`context ${context}`, await bearer())
  } catch (error) {
    if (error instanceof CliProblem) throw error
    const why = error instanceof Error ? error.message.slice(0, 200) : 'failed'
    throw new CliProblem(toSafeText(`context ${context}: its user gave no token: ${why}`), TOKEN_HINT)
  }
  throw new CliProblem(`context ${context}: its user gave no token`, TOKEN_HINT)
}

function checkToken(source: string, text: string): string {
  const token = text.trim()
  if (!/^[\x21-\x7e]{1,65536}$/.test(token)) throw new CliProblem(`${source}: is not a token`, TOKEN_HINT)
  return conceal(token)
}

function readToken(file: string): string {
  return readFlagFile('token file', file)
}

function readFlagFile(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliProblem(toSafeText(`${what} ${file}: cannot be read (${code})`), 'Check the path.')
  }
}

function besideConfig(path: string, context: MeshContext | undefined): string {
  return resolve(dirname(context?.file ?? '.'), path)
}
