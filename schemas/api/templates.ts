import { Type } from 'typebox'
import type { Static } from 'typebox'
import { AgentFile } from '../agent-file/schema.ts'
import { AgentTemplate } from '../crds/agent-template.ts'
import { shownAs, titled } from '../shown-as.ts'
import { anyObject, clusterObject, clusterObjectInput, listOf, namespaceQuery, pageQuery, scope } from './common.ts'

/** An AgentTemplate in an answer. */
export const Template = clusterObject(AgentTemplate)

/** A page of templates. */
export const TemplateList = listOf(Template)

/** Query of `GET /api/templates`. */
export const TemplateListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    kind: Type.Optional(Type.Enum(['agent', 'team', 'workflow'])),
    scope: Type.Optional(scope),
    ...pageQuery,
  },
  { additionalProperties: false },
)

/** Path of `DELETE /api/templates/{kind}/{namespace}/{name}`. */
export const TemplateParams = Type.Object({ kind: Type.Enum(['agent', 'team', 'workflow']) })

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

/** A starter agent that works at once with the mock provider. */
export const Recipe = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    config: shownAs(anyObject, titled('AgentConfig', AgentFile)),
    tryInput: Type.String({ description: 'An input to start with.' }),
  },
  { title: 'Recipe' },
)

/** See {@link Recipe}. */
export type Recipe = Static<typeof Recipe>

/** Answer of `GET /api/recipes`. */
export const RecipeList = listOf(Recipe)
