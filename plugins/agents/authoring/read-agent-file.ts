import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'
import type { SentObject } from '#core/http/resource/resource-write.ts'
import { checkOf } from '#core/validation/validate.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import { expandParsed } from '#schemas/agent-file/expand-agent-file.ts'
import { isKubernetesObject } from '#schemas/agent-file/find-problems.ts'
import type { ExpandedAgentFile } from '#schemas/agent-file/expand-agent-file.ts'
import { parseSources } from '#schemas/agent-file/parse.ts'
import type { ParsedSource } from '#schemas/agent-file/parse.ts'
import { AgentFileError, pathOf } from '#schemas/agent-file/problem.ts'
import type { LocatedProblem } from '#schemas/agent-file/problem.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { splitDocuments, toDocument } from './new-agent.ts'
import type { AuthoredAgent } from './new-agent.ts'
import { agentErrors } from '../contract/errors.ts'

/** An agent of a file, and its document in the file. */
export interface FiledAgent extends AuthoredAgent {
  /** Converts an error of the cluster, with line and column of each refused field. */
  placed(error: KubeError): KubeError
}

const anyMap = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

// The cluster validates the rest of metadata and the spec (fieldValidation=Strict).
const checkObject = checkOf(
  Type.Object({
    apiVersion: Type.Literal(AgentDeployment.apiVersion),
    kind: Type.Literal(AgentDeployment.kind),
    metadata: Type.Object(
      { name: Type.String(), namespace: Type.Optional(Type.String()) },
      { additionalProperties: true },
    ),
    spec: anyMap,
    status: Type.Optional(anyMap),
  }),
)

/**
 * The agents of a YAML file, each in the simplified format or as an object. An agent without a namespace gets the given one, or `default`. Throws
 * `invalid_agent_file`, whose errors have line and column.
 */
export function readAgentFile(text: string, namespace: DnsLabel | undefined): FiledAgent[] {
  return asBodyErrors(() => {
    const agents = parseSources(text).map((document) => readAgent(document, namespace))
    if (agents.length === 0) throw new AgentFileError([{ pointer: '', message: 'the file has no agent' }])
    refuseRepeated(agents)
    return agents.map(({ agent, documents, document, simplified }) => ({
      agent,
      documents,
      placed: (error) => placedIn(document, error, simplified),
    }))
  })
}

/** The only agent of a YAML file, in its namespace. */
export function readOneAgent(text: string, namespace: DnsLabel): SentObject {
  const [first, second] = readAgentFile(text, namespace)
  if (first === undefined || second !== undefined)
    throw new Fail(agentErrors.invalid_agent_file, 'The file must contain exactly one agent.')
  if (first.documents.length > 0)
    throw new Fail(
      agentErrors.invalid_agent_file,
      'The file has text of a prompt, which only POST /api/agents stores: name a version or a label.',
    )
  const { metadata, spec } = first.agent
  return { metadata: { ...metadata }, spec }
}

/** Expands every document of a YAML file, for the response of `POST /api/expand`. */
export function expandFile(text: string): ExpandedAgentFile {
  return asBodyErrors(() => {
    const documents = parseSources(text)
    if (documents.length === 0) throw new AgentFileError([{ pointer: '', message: 'the file is empty' }])
    return { documents: documents.flatMap((document) => expandParsed(document).documents) }
  })
}

interface ReadAgent extends AuthoredAgent {
  readonly document: ParsedSource
  readonly simplified: boolean
}

function readAgent(document: ParsedSource, given: DnsLabel | undefined): ReadAgent {
  const simplified = !isKubernetesObject(document.value)
  const { agent: found, others } = simplified
    ? splitDocuments(expandParsed(document))
    : { agent: toObject(document), others: [] }
  const { metadata, spec } = found
  const { name, namespace = given ?? 'default' } = metadata
  const pointer = simplified ? '' : '/metadata'
  if (given !== undefined && namespace !== given)
    refuse(document, [{ pointer: `${pointer}/namespace`, detail: `differs from the namespace of the request` }])
  parseName(`${pointer}/name`, name)
  const label = parseLabel(`${pointer}/namespace`, namespace)
  const agent = AgentDeployment.object({
    metadata: { ...metadata, name, namespace },
    spec: spec as AgentDeploymentSpec,
  })
  return { agent, documents: others.map((one) => toDocument(one, label)), document, simplified }
}

type AgentObject = Pick<AgentDeploymentObject, 'metadata'> & { readonly spec: unknown }

function toObject(document: ParsedSource): AgentObject {
  const errors = checkObject(document.value)
  if (errors.length > 0) refuse(document, errors)
  // Ensured by the check above.
  return document.value as AgentObject
}

function refuse(document: ParsedSource, errors: readonly FieldError[]): never {
  throw new AgentFileError(
    errors.map(({ pointer, detail }) => document.locate({ path: pathOf(pointer), message: detail })),
  )
}

// The cluster would refuse the second one after the first one was created.
function refuseRepeated(agents: readonly ReadAgent[]): void {
  const seen = new Set<string>()
  for (const { agent, document } of agents) {
    const { name, namespace } = agent.metadata
    const key = `${namespace}/${name}`
    if (seen.has(key)) refuse(document, [{ pointer: '', detail: `the agent ${key} is listed twice in the file` }])
    seen.add(key)
  }
}

// The cluster reports paths of the object. The simplified format has no `spec` level.
function placedIn(document: ParsedSource, error: KubeError, simplified: boolean): KubeError {
  const causes = (error.details.causes ?? []).map((cause) => {
    const path = cause.field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
    const found = document.locate({ path: simplified ? path.slice(1) : path, message: cause.message })
    return { ...cause, message: withPlace(found) }
  })
  if (causes.length === 0) return error
  const { status, reason, message, details, auditId } = error
  return new KubeError(status, reason, message, { details: { ...details, causes }, auditId })
}

function withPlace({ message, line, column }: LocatedProblem): string {
  return line === undefined ? message : `${message} (line ${line}, column ${column ?? 1})`
}

function asBodyErrors<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    const errors = error.problems.map((problem) => ({ pointer: problem.pointer, detail: withPlace(problem) }))
    throw new Fail(agentErrors.invalid_agent_file, error.message, { errors })
  }
}
