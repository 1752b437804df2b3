import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { reviewOfItem } from '#core/http/store/routes/item-call.ts'
import { storedKeyOf } from '#core/http/store/routes/stored-services.ts'
import { toPatch, toSections } from '#schemas/values/json-diff.ts'
import { AgentDiff } from '#schemas/api/agents.ts'
import { PromptDiffQuery } from '#schemas/api/prompts.ts'
import { comparedFields } from '../content/check-content.ts'
import { promptResource } from '../contract/resources.ts'
import type { PromptServices } from '../services/create-services.ts'
import { findPrompt, versionAt } from '../store/read-prompt.ts'

/** `GET .../diff`, shaped as the diff of agents. */
export const diffRoute = ({ store }: PromptServices): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: '/promptversions/:ns/:name/diff',
    id: 'diffPromptVersions',
    summary: 'Diff two versions of a prompt: an RFC 6902 patch, and the same by field.',
    authz: reviewOfItem('get', promptResource.names.resource),
    query: PromptDiffQuery,
    response: { 200: AgentDiff },
    handle: async (call) => {
      const { from, to = 'latest' } = call.query
      const found = await findPrompt(store, storedKeyOf(call))
      if (found === undefined) throw new Fail('not_found')
      const [left, right] = [await versionAt(store, found, from), await versionAt(store, found, to)].map(comparedFields)
      return { from, to, patch: toPatch(left, right), sections: toSections(left ?? {}, right ?? {}) }
    },
  })
