import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { AgentTemplate } from '../crds/agent-template.ts'
import { shownAs } from '../values/shown-as.ts'
import { agentConfig } from './agents.ts'
import {
  anyObject,
  clusterObject,
  clusterObjectInput,
  listOf,
  listOrder,
  managedFields,
  namePrefix,
  namespaceQuery,
  pageQuery,
  scope,
} from './common.ts'

/** An AgentTemplate in a response. */
export const Template = clusterObject(AgentTemplate)

/** A page of templates. */
export const TemplateList = listOf(Template)

/** Query of `GET /api/templates`. */
export const TemplateListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    kind: Type.Optional(
      described(Type.Enum(['agent', 'team', 'workflow']), 'Kind of object that the template creates.'),
    ),
    scope: Type.Optional(scope),
    q: Type.Optional(namePrefix),
    order: Type.Optional(listOrder),
    managedFields: Type.Optional(managedFields),
    ...pageQuery,
  },
  { additionalProperties: false },
)

/** Path of `DELETE /api/templates/{kind}/{namespace}/{name}`. */
export const TemplateParams = Type.Object({
  kind: described(Type.Enum(['agent', 'team', 'workflow']), 'Kind of object that the template creates.'),
})

/** Body of `POST /api/templates`: the AgentTemplate. */
export const CreateTemplateBody = shownAs(
  Type.Object(
    {
      apiVersion: Type.Optional(Type.String({ maxLength: 253 })),
      kind: Type.Optional(Type.String({ maxLength: 63 })),
      metadata: anyObject,
      spec: anyObject,
    },
    { additionalProperties: false },
  ),
  clusterObjectInput(AgentTemplate),
)

/** A starter agent that works immediately with the mock provider. */
export const Recipe = Type.Object(
  {
    id: Type.String({ description: 'Id of the recipe.', examples: ['hello'] }),
    title: Type.String({ description: 'Title of the recipe.', examples: ['Greeter'] }),
    description: Type.String({
      description: 'What the agent does.',
      examples: ['An agent with a prompt and a model.'],
    }),
    tags: described(Type.Array(Type.String()), 'Words by which recipes are filtered.', ['start']),
    config: agentConfig,
    tryInput: Type.String({ description: 'An input to start with.', examples: ['My name is Ada.'] }),
  },
  { title: 'Recipe' },
)

/** See {@link Recipe}. */
export type Recipe = Static<typeof Recipe>

/** Response of `GET /api/recipes`. */
export const RecipeList = listOf(Recipe)
