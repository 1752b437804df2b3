import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { AgentFile } from '../agent-file/schema.ts'
import { AgentDeployment } from '../crds/agent-deployment.ts'
import { DNS_LABEL_PATTERN } from '../kinds/parts.ts'
import { shownAs, titled } from '../values/shown-as.ts'
import { agentFields } from './agent-views.ts'
import {
  anyObject,
  anyValue,
  clusterObject,
  clusterObjectInput,
  dryRun,
  listOf,
  managedFields,
  namespaceQuery,
  scope,
  time,
} from './common.ts'

const strict = { additionalProperties: false }
/** Name of a namespace in a body. */
export const namespaceName = Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN })
/** Name of an object in a body. */
export const objectName = Type.String({ minLength: 1, maxLength: 253 })

/** One operation of RFC 6902. */
export const patchOperation = Type.Object({
  op: described(Type.Enum(['add', 'remove', 'replace']), 'Operation of RFC 6902.', 'replace'),
  path: Type.String({ description: 'RFC 6901 pointer into the spec or the config.', examples: ['/systemPrompt'] }),
  value: Type.Optional(described(anyValue, 'New value; absent for `remove`.', 'You greet people in French.')),
})

/** An AgentDeployment in a response. */
export const Agent = clusterObject(AgentDeployment, agentFields)

/** Query of routes that write an agent. */
export const DryRunQuery = Type.Object({ dryRun: Type.Optional(dryRun) }, strict)

/** Query of routes that write an object and return it. */
export const ObjectWriteQuery = Type.Object(
  { dryRun: Type.Optional(dryRun), managedFields: Type.Optional(managedFields) },
  strict,
)

/** Query of `POST /api/agents`; the namespace applies to agents without one. */
export const CreateAgentQuery = Type.Object(
  {
    dryRun: Type.Optional(dryRun),
    managedFields: Type.Optional(managedFields),
    namespace: Type.Optional(
      Type.String({ maxLength: 253, description: 'Namespace of agents that name none; default for a file.' }),
    ),
  },
  strict,
)

/** Response to a file with several agents. */
export const CreatedAgents = Type.Object(
  { items: described(Type.Array(Agent), 'The created agents, in the order of the file.') },
  { title: 'CreatedAgents' },
)

// The cluster validates metadata and spec (fieldValidation=Strict): one validation for all clients.
const objectFields = {
  apiVersion: Type.Optional(Type.String({ maxLength: 253 })),
  kind: Type.Optional(Type.String({ maxLength: 63 })),
  metadata: Type.Optional(anyObject),
  spec: Type.Optional(anyObject),
  status: Type.Optional(anyObject),
}

// The checker of the format reports every problem with its place.
/** An agent in the simplified format. */
export const agentConfig = exemplified(shownAs(anyObject, titled('AgentConfig', AgentFile)), {
  name: 'hello',
  model: { route: 'mock' },
  systemPrompt: 'You greet people in one sentence.',
})

const fromConfig = Type.Object(
  {
    namespace: Type.Optional(described(namespaceName, 'Namespace of the agent; default `default`.')),
    config: agentConfig,
  },
  { ...strict, title: 'AgentConfigInput', description: 'An agent in the simplified format.' },
)

/** Body of `POST /api/agents`: the object, or `{namespace, config}` with the simplified format. */
export const CreateAgentBody = shownAs(
  Type.Object({ ...objectFields, namespace: Type.Optional(namespaceName), config: Type.Optional(anyObject) }, strict),
  // Titled, since the Go client cannot send an unnamed union.
  Type.Union([fromConfig, clusterObjectInput(AgentDeployment)], { title: 'AgentInput' }),
)

/** Body of `POST .../fork`; `overrides` is a JSON merge patch on the spec. */
export const ForkBody = Type.Object(
  {
    name: described(objectName, 'Name of the copy.'),
    namespace: Type.Optional(described(namespaceName, 'Namespace of the copy. Defaults to that of the agent.')),
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
  {
    revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the revision to return to.' }),
  },
  { ...strict, title: 'RollbackInput' },
)

const gateOverride = Type.Object(
  {
    by: Type.String({ description: 'User who overrode the gate.' }),
    at: described(time, 'Time of the override.'),
    reason: Type.String({ description: 'Reason that the user gave; empty if the data of the user was erased.' }),
  },
  { description: 'A person let the revision serve although it had not passed its evaluation.' },
)

/** One revision of an agent. */
export const AgentVersion = Type.Object(
  {
    revision: Type.Integer({ description: 'Number of the revision, from 1.', examples: [2] }),
    name: Type.String({ description: 'Name of the ControllerRevision.', examples: ['hello-5d7f9c'] }),
    createdAt: described(time, 'Time of the revision.'),
    formerRevisions: exemplified(
      Type.Array(Type.Integer(), {
        description: 'Earlier numbers of the revision, from before it was rolled back to. They remain valid.',
      }),
      [],
    ),
    createdBy: exemplified(
      Type.Union([Type.String(), Type.Null()], {
        description: 'User who made it; manager: and a field manager where the user is not known.',
      }),
      'ada@example.com',
    ),
    createdByExact: Type.Boolean({ description: 'Whether createdBy was authenticated.', examples: [true] }),
    source: exemplified(Type.Enum(['create', 'update', 'rollback'], { description: 'What made it.' }), 'update'),
    rollbackTo: exemplified(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'Number of the revision that a rollback returned to, as it was then; null for other changes.',
      }),
      null,
    ),
    override: exemplified(
      Type.Union([gateOverride, Type.Null()], {
        description: 'Override of its eval gate; null without one, and for callers who may not `get evalresults`.',
      }),
      null,
    ),
    summary: Type.String({
      description: 'Which parts of the spec differed from the revision before, when it was made.',
      examples: ['systemPrompt'],
    }),
    prompt: exemplified(
      Type.Union(
        [
          Type.Object({
            name: Type.String({ description: 'Name of the prompt.' }),
            version: Type.Integer({ description: 'Version of the prompt.' }),
            label: described(
              Type.Union([Type.String(), Type.Null()]),
              'Label by which it was found; null without one.',
            ),
            digest: Type.String({ description: 'Digest of the content of the version.' }),
          }),
          Type.Null(),
        ],
        { description: 'Version of the managed prompt that the revision has; null without one.' },
      ),
      { name: 'greet', version: 2, label: 'production', digest: `sha256:${'0'.repeat(64)}` },
    ),
    current: Type.Boolean({ description: 'Whether it is the newest revision.', examples: [true] }),
  },
  { title: 'AgentVersion' },
)

/** Response of `GET .../versions`, newest first. */
export const AgentVersionList = listOf(AgentVersion)

const revisionQuery = Type.String({
  pattern: '^(current|[1-9][0-9]{0,15})$',
  description: 'A revision number, or current.',
})

/** Query of `GET .../versions/diff`. */
export const DiffQuery = Type.Object({ from: revisionQuery, to: Type.Optional(revisionQuery) }, strict)

/** Response of `GET .../versions/diff`: an RFC 6902 patch, and the differences by section. */
export const AgentDiff = Type.Object(
  {
    from: Type.String({ description: 'Revision on the left, or current.', examples: ['1'] }),
    to: Type.String({ description: 'Revision on the right, or current.', examples: ['2'] }),
    patch: described(Type.Array(patchOperation), 'RFC 6902 patch from the left to the right.'),
    sections: described(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'Name of the section.', examples: ['systemPrompt'] }),
          from: Type.Optional(described(anyValue, 'Value on the left; absent if it has none.', 'You greet people.')),
          to: Type.Optional(
            described(anyValue, 'Value on the right; absent if it has none.', 'You greet people in French.'),
          ),
        }),
      ),
      'The same changes, by section of the spec.',
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
    tail: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'Number of the newest lines to return, at most 100,000. Defaults to all.',
      }),
    ),
    since: Type.Optional(Type.String({ maxLength: 64, description: 'A duration such as 10m, or an RFC 3339 time.' })),
    follow: Type.Optional(Type.Boolean({ description: 'Whether to keep the response open and send new lines.' })),
    previous: Type.Optional(
      Type.Boolean({ description: 'Whether to return the log of the container before its last restart.' }),
    ),
  },
  strict,
)

/** One reference; `found` is what the caller can see: null if the caller may not read the target. */
export const ReferenceItem = Type.Object(
  {
    kind: Type.String({ description: 'Kind of the object.', examples: ['ModelRoute'] }),
    namespace: Type.String({ description: 'Namespace of the object.', examples: ['default'] }),
    name: Type.String({ description: 'Name of the object.', examples: ['mock'] }),
    field: Type.String({
      description: 'Field of the reference, such as spec.tools[0].bindingRef.',
      examples: ['spec.model.route'],
    }),
    found: described(
      Type.Union([Type.Boolean(), Type.Null()]),
      'Whether the object exists; null if the caller may not read it.',
      true,
    ),
  },
  { title: 'Reference' },
)

/** Response of `GET .../references` and `GET /api/usedby`. */
export const ReferenceList = listOf(ReferenceItem)

/** Query of `GET /api/usedby`. */
export const UsedByQuery = Type.Object(
  {
    kind: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, default: 'AgentDeployment', description: 'Kind of the object.' }),
    ),
    namespace: Type.Optional(namespaceQuery),
    name: described(objectName, 'Name of the object.'),
    scope: Type.Optional(scope),
  },
  strict,
)
