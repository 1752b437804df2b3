import { stringify } from 'yaml'
import type { Recipe } from '#schemas/api/templates.ts'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { requestApi } from '#ui/api/request-api.ts'
import { copiedMetadata } from './agent-source.ts'
import type { AgentSource } from './agent-source.ts'

/** What a source gives: the document, and an input to try the agent with. */
export interface LoadedSource {
  readonly yaml: string
  readonly tryInput: string | undefined
}

interface Manifest {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

/** Reads a source as the caller. */
export async function loadSource(
  { kind, id }: AgentSource,
  namespace: string,
  signal: AbortSignal,
): Promise<LoadedSource> {
  const read = async <Body>(path: readonly string[], query = {}): Promise<Body> =>
    (await (await requestApi({ path, query, signal })).json()) as Body
  if (kind === 'recipe') {
    const { items } = await read<{ readonly items: readonly Recipe[] }>(['recipes'])
    const recipe = items.find((one) => one.id === id)
    if (recipe === undefined) throw missing
    return { yaml: toYaml(recipe.config), tryInput: recipe.tryInput }
  }
  const [sourceNamespace = '', name = ''] = id.split('/')
  if (kind === 'template') {
    const { items } = await read<{ readonly items: readonly Manifest[] }>(['templates'], {
      namespace: sourceNamespace,
      q: name,
    })
    const found = items.find(({ metadata }) => metadata.name === name)
    const { template } = (found?.spec ?? {}) as {
      readonly template?: { readonly metadata?: object; readonly spec: object }
    }
    if (template === undefined) throw missing
    return {
      yaml: manifest({ metadata: template.metadata ?? {}, spec: template.spec }, { name, namespace }),
      tryInput: undefined,
    }
  }
  if (kind === 'fork') {
    const { metadata, spec } = await read<Manifest>(['agents', sourceNamespace, name])
    return {
      yaml: manifest({ metadata, spec }, { name: `${name.slice(0, 46)}-copy`, namespace: sourceNamespace }),
      tryInput: undefined,
    }
  }
  return { yaml: '', tryInput: undefined }
}

const missing = new ApiProblem({ status: 404, title: 'Not found', detail: 'The source does not exist.' })

/** A value as a YAML document. */
export function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 })
}

function manifest(
  { metadata, spec }: { readonly metadata: object; readonly spec: object },
  names: { readonly name: string; readonly namespace: string },
): string {
  return toYaml({
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: copiedMetadata(metadata as Manifest['metadata'], names),
    spec,
  })
}
