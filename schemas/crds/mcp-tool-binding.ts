import { Type } from 'typebox'
import type { Static } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { allowedNamespaces, conditions, duration, localRef, observedGeneration } from '../kinds/parts.ts'

const toolName = { minLength: 1, maxLength: 128 }

const spec = Type.Object(
  {
    serverRef: localRef('McpServer', 'Server of the tools.'),
    description: Type.Optional(Type.String({ maxLength: 1_024, description: 'What the tools are for.' })),
    allow: Type.Optional(
      Type.Array(Type.String({ ...toolName, pattern: '^[-._a-zA-Z0-9]+$' }), {
        maxItems: 256,
        description: 'Tools that agents may call. Defaults to all accepted tools of the server.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    requireApproval: Type.Optional(
      Type.Array(Type.String({ ...toolName, pattern: '^(\\*|[-._a-zA-Z0-9]+)$' }), {
        maxItems: 256,
        description: 'Tools whose calls wait for a person; "*" is every tool of the binding.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    approveByHints: Type.Optional(
      Type.Enum(['none', 'destructive', 'writes'], {
        default: 'none',
        description:
          'Further tools whose calls wait for a person, by the hints of the server: those that may destroy something, or all that are not read-only. A tool without hints counts as destructive.',
      }),
    ),
    timeout: Type.Optional(duration(durationBounds.mcpCall, 'Maximum duration of one call. Defaults to 60s.')),
    allowedNamespaces: Type.Optional(allowedNamespaces),
  },
  { additionalProperties: false, description: 'Which tools of a server agents may call.' },
)

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    tools: Type.Optional(
      Type.Array(Type.String({ maxLength: 128 }), {
        maxItems: 256,
        description: 'Tools that agents may call, by name.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    toolCount: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of these tools.' })),
    approvals: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of these tools whose calls wait for a person.' }),
    ),
    conditions: Type.Optional(conditions),
  },
  { description: 'Tools of the binding, as the manager has found them.' },
)

/** Tools of an MCP server for agents that name the binding in `spec.tools`. */
export const McpToolBinding = defineKind({
  kind: 'McpToolBinding',
  plural: 'mcptoolbindings',
  singular: 'mcptoolbinding',
  shortNames: ['mcptb'],
  scope: 'Namespaced',
  description: 'Tools of an MCP server that agents may call, with approval and time limit.',
  spec,
  status,
  audited: ['serverRef.name', 'allow', 'requireApproval', 'approveByHints', 'timeout', 'allowedNamespaces'],
  printerColumns: [
    { name: 'Server', type: 'string', jsonPath: '.spec.serverRef.name' },
    { name: 'Tools', type: 'integer', jsonPath: '.status.toolCount' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link McpToolBinding}. */
export type McpToolBindingSpec = Static<typeof spec>

/** See {@link McpToolBinding}. */
export type McpToolBindingStatus = Static<typeof status>

/** A binding in its wire format. */
export type McpToolBindingObject = ObjectOf<typeof McpToolBinding>
