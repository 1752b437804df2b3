import { Type } from 'typebox'
import type { Static } from 'typebox'
import { AgentFile } from '../agent-file/schema.ts'
import { AgentDeployment } from '../crds/agent-deployment.ts'
import { DNS_LABEL_PATTERN } from '../parts.ts'
import { shownAs, titled } from '../shown-as.ts'
import {
  AnyObject,
  anyObject,
  anyValue,
  clusterObject,
  clusterObjectInput,
  dryRun,
  listOf,
  namespaceQuery,
  scope,
  time,
} from './common.ts'

const strict = { additionalProperties: false }
const namespaceName = Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN })
const objectName = Type.String({ minLength: 1, maxLength: 253 })

const patchOperation = Type.Object({
  op: Type.Enum(['add', 'remove', 'replace']),
  path: Type.String({ description: 'RFC 6901 pointer into the spec or the config.' }),
  value: Type.Optional(anyValue),
})

/** An AgentDeployment in an answer. */
export const Agent = clusterObject(AgentDeployment)

/** Query of routes that write an agent. */
export const DryRunQuery = Type.Object({ dryRun: Type.Optional(dryRun) }, strict)

/** Query of `POST /api/agents`; the namespace applies to agents without one. */
export const CreateAgentQuery = Type.Object(
  {
    dryRun: Type.Optional(dryRun),
    namespace: Type.Optional(
      Type.String({ maxLength: 253, description: 'Namespace of agents that name none; default for a file.' }),
    ),
  },
  strict,
)

/** Answer to a file with several agents. */
export const CreatedAgents = Type.Object({ items: Type.Array(Agent) }, { title: 'CreatedAgents' })

// The cluster validates metadata and spec (fieldValidation=Strict): one validation for all clients.
const objectFields = {
  apiVersion: Type.Optional(Type.String({ maxLength: 253 })),
  kind: Type.Optional(Type.String({ maxLength: 63 })),
  metadata: Type.Optional(anyObject),
  spec: Type.Optional(anyObject),
  status: Type.Optional(anyObject),
}

// The checker of the format reports every problem with its place.
const agentConfig = shownAs(anyObject, titled('AgentConfig', AgentFile))

const fromConfig = Type.Object(
  { namespace: Type.Optional(namespaceName), config: agentConfig },
  { ...strict, title: 'AgentConfigInput', description: 'An agent in the simplified format.' },
)

/** Body of `POST /api/agents`: the object, or `{namespace, config}` with the simplified format. */
export const CreateAgentBody = shownAs(
  Type.Object({ ...objectFields, namespace: Type.Optional(namespaceName), config: Type.Optional(anyObject) }, strict),
  // Named, since the client of Go cannot send a union without a name.
  Type.Union([fromConfig, clusterObjectInput(AgentDeployment)], { title: 'AgentInput' }),
)

/** Body of `POST .../fork`; `overrides` is a JSON merge patch on the spec. */
export const ForkBody = Type.Object(
  {
    name: objectName,
    namespace: Type.Optional(namespaceName),
    overrides: Type.Optional(
      shownAs(anyObject, {
        ...Type.Partial(AgentDeployment.spec),
        title: 'AgentDeploymentSpecPatch',
        description: 'JSON merge patch on the spec; null removes a field.',
      }),
    ),
  },
  { ...strict, title: 'ForkInput' },
)

/** Body of `POST .../rollback`. */
export const RollbackBody = Type.Object(
  { revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
  { ...strict, title: 'RollbackInput' },
)

/** One revision of an agent. */
export const AgentVersion = Type.Object(
  {
    revision: Type.Integer(),
    name: Type.String({ description: 'Name of the ControllerRevision.' }),
    createdAt: time,
    formerRevisions: Type.Array(Type.Integer(), {
      description: 'Numbers that it had before it was rolled back to; they name it still.',
    }),
    createdBy: Type.Union([Type.String(), Type.Null()], {
      description: 'User who made it; manager: and a field manager where the user is not known.',
    }),
    createdByExact: Type.Boolean({ description: 'Whether createdBy was authenticated.' }),
    source: Type.Enum(['create', 'update', 'rollback'], { description: 'What made it.' }),
    rollbackTo: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Number of the revision that a rollback returned to, as it was then; null for other changes.',
    }),
    summary: Type.String({
      description: 'Which parts of the spec differed from the revision before, when it was made.',
    }),
    current: Type.Boolean(),
  },
  { title: 'AgentVersion' },
)

/** Answer of `GET .../versions`, newest first. */
export const AgentVersionList = listOf(AgentVersion)

const revisionQuery = Type.String({
  pattern: '^(current|[1-9][0-9]{0,15})$',
  description: 'A revision number, or current.',
})

/** Query of `GET .../versions/diff`. */
export const DiffQuery = Type.Object({ from: revisionQuery, to: Type.Optional(revisionQuery) }, strict)

/** Answer of `GET .../versions/diff`: an RFC 6902 patch and the same by section. */
export const AgentDiff = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    patch: Type.Array(patchOperation),
    sections: Type.Array(
      Type.Object({ path: Type.String(), from: Type.Optional(anyValue), to: Type.Optional(anyValue) }),
    ),
  },
  { title: 'AgentDiff' },
)

/** Query of `GET .../logs`. */
export const LogsQuery = Type.Object(
  {
    container: Type.Optional(
      Type.Enum(['agent', 'launcher'], {
        description: 'Default: agent. A declarative agent is run by its launcher and has this one log.',
      }),
    ),
    tail: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
    since: Type.Optional(Type.String({ maxLength: 64, description: 'A duration such as 10m, or an RFC 3339 time.' })),
    follow: Type.Optional(Type.Boolean()),
    previous: Type.Optional(Type.Boolean()),
  },
  strict,
)

/** One reference; `found` is what the caller can see: null when the caller may not look. */
export const ReferenceItem = Type.Object(
  {
    kind: Type.String(),
    namespace: Type.String(),
    name: Type.String(),
    field: Type.String({ description: 'Field of the reference, such as spec.tools[0].bindingRef.' }),
    found: Type.Union([Type.Boolean(), Type.Null()]),
  },
  { title: 'Reference' },
)

/** Answer of `GET .../references` and `GET /api/usedby`. */
export const ReferenceList = listOf(ReferenceItem)

/** Query of `GET /api/usedby`. */
export const UsedByQuery = Type.Object(
  {
    kind: Type.Optional(Type.String({ minLength: 1, maxLength: 63, default: 'AgentDeployment' })),
    namespace: Type.Optional(namespaceQuery),
    name: objectName,
    scope: Type.Optional(scope),
  },
  strict,
)

/** Body of `POST /api/expand`. */
export const ExpandBody = Type.Object(
  {
    config: Type.Optional(agentConfig),
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 262_144, description: 'YAML text of an agent file.' }),
    ),
  },
  { ...strict, title: 'ExpandInput', description: 'Exactly one of config and source.' },
)

/** Answer of `POST /api/expand`. */
export const ExpandAnswer = Type.Object(
  { documents: Type.Array(shownAs(anyObject, AnyObject)) },
  { title: 'ExpandedAgent' },
)

const routeReference = Type.String({
  minLength: 1,
  maxLength: 317,
  description: 'name or namespace/name of a ModelRoute.',
})

/** Body of `POST /api/agents/generate`. */
export const GenerateBody = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 16_384 }),
    namespace: Type.Optional(namespaceName),
    route: Type.Optional(routeReference),
  },
  { ...strict, title: 'GenerateInput' },
)

/** Body of `POST /api/agents/refine`. */
export const RefineBody = Type.Object(
  {
    config: agentConfig,
    instruction: Type.String({ minLength: 1, maxLength: 16_384 }),
    namespace: Type.Optional(namespaceName),
    route: Type.Optional(routeReference),
  },
  { ...strict, title: 'RefineInput' },
)

/** Answer of generate and refine. */
export const GenerateAnswer = Type.Object(
  {
    config: agentConfig,
    explanation: Type.String(),
    warnings: Type.Array(Type.String()),
    changes: Type.Optional(Type.Array(patchOperation, { description: 'Every change of a refined config (RFC 6902).' })),
  },
  { title: 'GeneratedConfig' },
)

/** Body of `POST /api/agents/check-requirements`: `{config}`, or the object. */
export const CheckRequirementsBody = CreateAgentBody

/** One requirement and what to do about it. */
export const Requirement = Type.Object(
  {
    kind: Type.String(),
    namespace: Type.Optional(Type.String()),
    name: Type.String(),
    status: Type.Enum(['met', 'missing', 'denied']),
    fix: Type.String({ description: 'What to do; empty when met.' }),
  },
  { title: 'Requirement' },
)

/** See {@link Requirement}. */
export type Requirement = Static<typeof Requirement>

/** Answer of `POST /api/agents/check-requirements`. */
export const RequirementsAnswer = Type.Object(
  { ready: Type.Boolean(), requirements: Type.Array(Requirement) },
  { title: 'RequirementsCheck' },
)

/** Body of `POST .../publish`. */
export const PublishBody = Type.Object(
  {
    name: Type.Optional(objectName),
    namespace: Type.Optional(namespaceName),
    title: Type.String({ minLength: 1, maxLength: 128 }),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { maxItems: 32, uniqueItems: true })),
  },
  { ...strict, title: 'PublishInput' },
)
