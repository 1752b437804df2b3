import { findPodProblems, secretProblems } from '../agents/pod-rules.ts'
import { checkReferenceText } from './reference.ts'
import type { FileProblem } from './problem.ts'
import type { AgentFile } from './schema.ts'
import { didYouMean } from '../values/nearest.ts'

const RESERVED_PORTS = [2994, 2995, 2996, 2997, 2998, 2999, 4317, 4318, 8080, 8081]
const BUILT_IN_TOOLS = ['time', 'calculate', 'ask_human']

// Fields that the format will have; using one is reported as such instead of "unknown field".
const LATER_FIELDS = ['schedule', 'triggers']
const LATER_MODELS: readonly unknown[] = ['session', 'scheduled', 'event']

/** Uses of fields that the format will have but does not have yet. */
export function findLater(file: object): FileProblem[] {
  const fields = LATER_FIELDS.filter((field) => Object.hasOwn(file, field))
  const model: unknown = 'executionModel' in file ? file.executionModel : undefined
  return [
    ...fields.map((field) => ({ path: [field], message: `${field} is not yet supported` })),
    ...(LATER_MODELS.includes(model)
      ? [{ path: ['executionModel'], message: `${String(model)} is not yet supported; use service or job` }]
      : []),
  ]
}

/** Rules that a schema cannot express. The CRD has the same rules in CEL; a test checks both with the same samples. */
export function checkRules(file: AgentFile): FileProblem[] {
  return [
    ...executionRules(file),
    ...promptRules(file),
    ...runtimeRules(file),
    ...scalingRules(file),
    ...toolRules(file),
    ...delegateRules(file),
    ...registryRules(file),
    ...policyRules(file),
    ...(file.pod === undefined ? [] : findPodProblems(file.pod)),
  ]
}

function executionRules(file: AgentFile): FileProblem[] {
  const model = file.executionModel
  const declarative = file.image === undefined && file.runtime?.command === undefined
  if (declarative && file.model === undefined) {
    return [{ path: [], message: 'a declarative agent (neither image nor runtime.command) needs model.route' }]
  }
  if (model === 'job' && declarative) {
    const message = 'a job ends when its process does: it needs runtime.command or an image'
    return [{ path: ['executionModel'], message }]
  }
  if (model === 'job' && file.scaling !== undefined) return [{ path: ['scaling'], message: 'a job has no scaling' }]
  if (model === 'job' && file.eval?.suite !== undefined) {
    return [{ path: ['eval', 'suite'], message: 'a job has no eval gate' }]
  }
  return []
}

function promptRules({ prompt, systemPrompt }: AgentFile): FileProblem[] {
  if (prompt === undefined) return []
  if (systemPrompt !== undefined)
    return [{ path: ['prompt'], message: 'prompt and systemPrompt are mutually exclusive' }]
  const isNew = prompt.text !== undefined || prompt.messages !== undefined
  const isPinned = prompt.version !== undefined || prompt.label !== undefined
  if (prompt.text !== undefined && prompt.messages !== undefined) {
    return [{ path: ['prompt'], message: 'text and messages are mutually exclusive' }]
  }
  if (prompt.version !== undefined && prompt.label !== undefined) {
    return [{ path: ['prompt'], message: 'version and label are mutually exclusive' }]
  }
  if (isNew && isPinned)
    return [{ path: ['prompt'], message: 'version and label name a prompt that exists; leave out its text' }]
  if (!isNew && prompt.name === undefined) return [{ path: ['prompt'], message: 'text, messages or name is required' }]
  return []
}

function runtimeRules({ runtime }: AgentFile): FileProblem[] {
  const problems: FileProblem[] = []
  if (runtime?.port !== undefined && RESERVED_PORTS.includes(runtime.port)) {
    problems.push({ path: ['runtime', 'port'], message: 'this port is reserved for the launcher' })
  }
  if (runtime?.args !== undefined && runtime.command === undefined) {
    problems.push({ path: ['runtime', 'args'], message: 'args need a command' })
  }
  const list = Array.isArray(runtime?.env) ? runtime.env : []
  for (const [index, entry] of list.entries()) {
    const path = ['runtime', 'env', index]
    if (entry.value !== undefined && entry.valueFrom !== undefined) {
      problems.push({ path, message: 'value and valueFrom are mutually exclusive' })
    }
    const { secretKeyRef, configMapKeyRef } = entry.valueFrom ?? {}
    if (secretKeyRef !== undefined)
      problems.push(...secretProblems(secretKeyRef.name, [...path, 'valueFrom', 'secretKeyRef', 'name']))
    if (entry.valueFrom !== undefined && (secretKeyRef === undefined) === (configMapKeyRef === undefined)) {
      problems.push({ path: [...path, 'valueFrom'], message: 'exactly one source is required' })
    }
  }
  return [...problems, ...repeated(list, ['runtime', 'env'])]
}

function scalingRules({ scaling }: AgentFile): FileProblem[] {
  const { replicas, minReplicas, maxReplicas, policyRef } = scaling ?? {}
  if (replicas !== undefined && (minReplicas ?? maxReplicas ?? policyRef) !== undefined) {
    return [{ path: ['scaling'], message: 'replicas cannot be combined with minReplicas, maxReplicas or policyRef' }]
  }
  if (minReplicas !== undefined && maxReplicas !== undefined && minReplicas > maxReplicas) {
    return [{ path: ['scaling', 'minReplicas'], message: 'minReplicas must not exceed maxReplicas' }]
  }
  return []
}

function toolRules({ tools = [] }: AgentFile): FileProblem[] {
  const entries = tools.map((tool) => (typeof tool === 'string' ? { name: tool } : tool))
  const problems = entries.flatMap((entry, index) => {
    const { bindingRef = undefined, registryRef = undefined } =
      'bindingRef' in entry || 'registryRef' in entry ? entry : {}
    if (bindingRef !== undefined && registryRef !== undefined)
      return [{ path: ['tools', index], message: 'bindingRef and registryRef are mutually exclusive' }]
    const ref = bindingRef ?? registryRef
    if (ref === undefined && !BUILT_IN_TOOLS.includes(entry.name)) {
      const message = `without bindingRef the name must be one of the built-in tools: ${BUILT_IN_TOOLS.join(', ')}${didYouMean(entry.name, BUILT_IN_TOOLS)}`
      return [{ path: ['tools', index], message }]
    }
    return typeof ref === 'string'
      ? checkReferenceText(ref, ['tools', index, bindingRef === undefined ? 'registryRef' : 'bindingRef'])
      : []
  })
  return [...problems, ...repeated(entries, ['tools'])]
}

function delegateRules({ delegates = [] }: AgentFile): FileProblem[] {
  return delegates.flatMap((one, index) => {
    const path = ['delegates', index]
    if (typeof one !== 'string') return []
    return /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(one)
      ? []
      : [{ path, message: 'must be the name of an agent, or namespace/name' }]
  })
}

function registryRules({ registries = [] }: AgentFile): FileProblem[] {
  return registries.flatMap((one, index) =>
    typeof one === 'string' ? checkReferenceText(one, ['registries', index]) : [],
  )
}

function policyRules({ guardrails = [] }: AgentFile): FileProblem[] {
  return guardrails.flatMap((one, index) =>
    typeof one === 'string' ? checkReferenceText(one, ['guardrails', index]) : [],
  )
}

// The API server refuses a list-map with a duplicate key; here the problem has a place.
function repeated(entries: readonly { name: string }[], path: readonly (string | number)[]): FileProblem[] {
  const names = new Set<string>()
  return entries.flatMap((entry, index) => {
    const isRepeat = names.has(entry.name)
    names.add(entry.name)
    return isRepeat ? [{ path: [...path, index], message: `"${entry.name}" is listed twice` }] : []
  })
}
