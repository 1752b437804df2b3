import { API_VERSION, groupKey } from '../names/group.ts'
import type { AgentDeploymentSpec } from '../crds/agent-deployment.ts'
import { toObjectRef } from './reference.ts'
import type { AgentFile } from './schema.ts'

/** An object that `expand` creates: an AgentDeployment, or its PromptVersion. */
export interface ExpandedDocument {
  apiVersion: string
  kind: 'AgentDeployment' | 'PromptVersion'
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  spec: Record<string, unknown>
}

/** Annotation that carries `eval.dataset`, which the eval command reads. */
export const EVAL_DATASET_ANNOTATION = groupKey('eval-dataset')

/** Turns a checked agent file into its documents, the AgentDeployment first. Pure. */
export function toDocuments(file: AgentFile): ExpandedDocument[] {
  return [toAgentDeployment(file), ...toPromptVersion(file)]
}

function toAgentDeployment(file: AgentFile): ExpandedDocument {
  const annotations = {
    ...file.annotations,
    ...(file.eval === undefined ? {} : { [EVAL_DATASET_ANNOTATION]: file.eval.dataset }),
  }
  return {
    apiVersion: API_VERSION,
    kind: 'AgentDeployment',
    metadata: {
      name: file.name,
      ...(file.namespace === undefined ? {} : { namespace: file.namespace }),
      ...(file.labels === undefined ? {} : { labels: file.labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: defined(toSpec(file)),
  }
}

// All fields of the spec are listed, so that the compiler reports a missing one.
type SpecFields = { [K in Exclude<keyof AgentDeploymentSpec, 'rollout'>]-?: AgentDeploymentSpec[K] | undefined }

function toSpec(file: AgentFile): SpecFields {
  return {
    image: file.image,
    executionModel: file.executionModel,
    runtime: file.runtime === undefined ? undefined : toRuntime(file.runtime),
    resources: file.resources === undefined ? undefined : toResources(file.resources),
    scaling: file.scaling === undefined ? undefined : toScaling(file.scaling),
    pod: file.pod,
    model: file.model,
    systemPrompt: file.systemPrompt,
    prompt: toPromptRef(file),
    tools: file.tools?.map(toTool),
    registries: file.registries?.map((one) => (typeof one === 'string' ? toObjectRef(one) : one)),
    a2a: file.a2a,
    delegates: file.delegates?.map((one) => (typeof one === 'string' ? toObjectRef(one) : one)),
    guardrails: file.guardrails?.map((one) => (typeof one === 'string' ? toObjectRef(one) : one)),
    knowledge: file.knowledge?.map(toNamed),
    secrets: file.secrets?.map(toNamed),
    memory: file.memory,
    budget: file.budget === undefined ? undefined : { ...file.budget, amount: toAmount(file.budget.amount) },
    limits: file.limits,
    tracePolicy: file.tracePolicy,
    recording: file.recording,
    evalGate: toEvalGate(file),
  }
}

function toRuntime(runtime: NonNullable<AgentFile['runtime']>): NonNullable<AgentDeploymentSpec['runtime']> {
  const { env, ...rest } = runtime
  if (env === undefined) return rest
  if (Array.isArray(env)) return { ...rest, env }
  return { ...rest, env: Object.entries(env).map(([name, value]) => ({ name, value: String(value) })) }
}

function toResources(resources: NonNullable<AgentFile['resources']>): NonNullable<AgentDeploymentSpec['resources']> {
  if ('requests' in resources || 'limits' in resources) return resources
  if (!('cpu' in resources || 'memory' in resources)) return {}
  const amounts = defined({ cpu: resources.cpu, memory: resources.memory })
  return { requests: { ...amounts }, limits: { ...amounts } }
}

function toScaling(scaling: NonNullable<AgentFile['scaling']>): NonNullable<AgentDeploymentSpec['scaling']> {
  const { policyRef, ...rest } = scaling
  return policyRef === undefined ? rest : { ...rest, policyRef: toNamed(policyRef) }
}

function toTool(tool: NonNullable<AgentFile['tools']>[number]): NonNullable<AgentDeploymentSpec['tools']>[number] {
  if (typeof tool === 'string') return { name: tool }
  const { bindingRef, registryRef, requireApproval, ...rest } = tool
  const approval = requireApproval === true ? ['*'] : requireApproval
  return {
    ...rest,
    ...(bindingRef === undefined ? {} : { bindingRef: toRef(bindingRef) }),
    ...(registryRef === undefined ? {} : { registryRef: toRef(registryRef) }),
    ...(approval === undefined || approval === false ? {} : { requireApproval: approval }),
  }
}

function toRef<Named extends { name: string }>(ref: string | Named): Named | ReturnType<typeof toObjectRef> {
  return typeof ref === 'string' ? toObjectRef(ref) : ref
}

function toNamed<Named extends { name: string }>(entry: string | Named): Named | { name: string } {
  return typeof entry === 'string' ? { name: entry } : entry
}

// A number such as 1e-7 would be printed in exponential notation; money has at most six places.
function toAmount(amount: string | number): string {
  return typeof amount === 'string' ? amount : amount.toFixed(6).replace(/\.?0{1,6}$/, '')
}

function toEvalGate({ eval: evaluation }: AgentFile): AgentDeploymentSpec['evalGate'] {
  if (evaluation?.suite === undefined) return undefined
  const { suite, minScore } = evaluation
  return { suiteRef: { name: suite }, ...(minScore === undefined ? {} : { minScore }) }
}

function toPromptRef({ name, prompt }: AgentFile): AgentDeploymentSpec['prompt'] {
  if (prompt === undefined) return undefined
  const { version, label, variables } = prompt
  return {
    name: prompt.name ?? name,
    ...(version === undefined ? {} : { version }),
    ...(label === undefined ? {} : { label }),
    ...(variables === undefined ? {} : { variables }),
  }
}

function toPromptVersion({ name, namespace, prompt }: AgentFile): ExpandedDocument[] {
  if (prompt?.text === undefined && prompt?.messages === undefined) return []
  return [
    {
      apiVersion: API_VERSION,
      kind: 'PromptVersion',
      metadata: { name: prompt.name ?? name, ...(namespace === undefined ? {} : { namespace }) },
      spec: defined({ text: prompt.text, messages: prompt.messages }),
    },
  ]
}

function defined<T>(fields: Record<string, T | undefined>): Record<string, T> {
  const entries = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  return Object.fromEntries(entries)
}
