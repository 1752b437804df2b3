import type { ApiClient } from '#cli/contract/api-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ContextInput } from '#cli/contract/command.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import { EXPIRES_AFTER_ANNOTATION } from '#schemas/names/labels.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { toPreviewAgent } from '../candidate/preview.ts'
import { refuseUnmet } from './check-references.ts'
import type { Cleanup } from './cleanup.ts'
import type { StopWatch } from './stop.ts'

/** Where and how a candidate is previewed. Its agent, suite and prompt have one name. */
export interface PreviewPlan {
  readonly candidate: Candidate
  readonly name: string
  readonly namespace: string
  /** With its references placed. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly suite: EvalSuiteSpec
  /** Longest life of agent and suite, which the manager ends. */
  readonly expiresAfter: string
}

type Input = Pick<ContextInput, 'api' | 'namespaces'>

/** Creates the namespace if it does not exist. One that existed is never deleted, nor is one in which others evaluate. */
export async function ensureNamespace({ api, namespaces }: Input, name: string, cleanup: Cleanup): Promise<void> {
  const state = await namespaces.ensure(name)
  if (state === 'denied')
    throw new CliProblem(
      `namespace ${name} does not exist, and you may not create it`,
      `Ask for it, or evaluate in another one: --namespace NAME.`,
    )
  if (state === 'created') cleanup.add(`namespace ${name}`, () => deleteEmpty({ api, namespaces }, name))
}

async function deleteEmpty({ api, namespaces }: Input, name: string): Promise<void> {
  const { items } = await api.list(['evalsuites'], { namespace: name }, 1)
  if (items.length === 0) await namespaces.delete(name)
}

/** Creates prompt, suite and agent of a preview. Each is removed by the clean-up, also if its creation fails. */
export async function applyPreview(
  { api }: Pick<Input, 'api'>,
  { candidate, suite, ...placed }: PreviewPlan,
  { cleanup, stop }: { readonly cleanup: Cleanup; readonly stop: StopWatch },
): Promise<void> {
  const { name, namespace, expiresAfter } = placed
  await refuseUnmet(api, toPreviewAgent(candidate, { ...placed, isComplete: false }), namespace)
  const create = async (path: string, object: object): Promise<void> => {
    stop.check()
    cleanup.add(`${path} ${namespace}/${name}`, () => api.delete([path, namespace, name]))
    await api.post([path], object)
  }
  const metadata = { name, namespace }
  if (candidate.prompt !== undefined)
    await create('promptversions', { apiVersion: API_VERSION, kind: PROMPT_KIND, metadata, spec: candidate.prompt })
  const annotations = { [EXPIRES_AFTER_ANNOTATION]: expiresAfter }
  await create('evalsuites', EvalSuite.object({ metadata: { ...metadata, annotations }, spec: suite }))
  cleanup.add('the evaluation', () => cancelOpen(api, namespace, name))
  await create('agents', toPreviewAgent(candidate, { ...placed, isComplete: true }))
}

// Removed before its agent, so that no run of a case starts meanwhile.
async function cancelOpen(api: ApiClient, namespace: string, suite: string): Promise<void> {
  const { evaluation } = await api.get<{ readonly evaluation: { readonly id: string; readonly phase: string } | null }>(
    ['evalsuites', namespace, suite, 'results'],
    { limit: 1 },
  )
  if (evaluation !== null && ['Pending', 'Running'].includes(evaluation.phase))
    await api.delete(['evalsuites', namespace, suite, 'runs', evaluation.id])
}
