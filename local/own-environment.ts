import { coreSettingSources } from '#core/config/setting-source.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

type Environment = Readonly<Record<string, string | undefined>>

// Names that are specific to this program, or have the same meaning for every program.
const kept = /^(MESH_|LOG_LEVEL$|OTEL_)/
// KUBECONFIG is common and never used here: it is ignored without a message.
const silent = new Set(['KUBECONFIG'])

/**
 * The environment without connections and addresses that a shell may set for other programs, such as `DATABASE_URL` or
 * `GATEWAY_URL`: the embedded default starts its own servers. `ignored` lists the names that were set.
 */
export function ownEnvironment(
  env: Environment,
  plugins: readonly AnyPlugin[],
): { readonly env: Environment; readonly ignored: readonly string[] } {
  const sources = [...coreSettingSources, ...plugins.flatMap(({ settingsFrom = [] }) => settingsFrom)]
  const foreign = new Set(sources.map(({ from }) => from).filter((name) => !kept.test(name)))
  const entries = Object.entries(env).filter(([name]) => !foreign.has(name))
  const ignored = [...foreign].filter((name) => !silent.has(name) && (env[name] ?? '') !== '')
  return { env: Object.fromEntries(entries), ignored: ignored.toSorted() }
}

/** The message about ignored variables and how to set them; undefined if none was set. */
export function ignoredLine(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  return `ignored from the environment: ${ignored.join(', ')} (set them in mesh.yaml, or in the file that MESH_CONFIG names)`
}
