import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'

// Naming rules of the document. A path begins with a collection (`/agents`), or is a separate action or view (`/invoke`, `/whoami`).
// - Operation ids are a verb and the noun of the collection: `listAgents`, `getAgent`, `forkAgent`, `getRunTree`.
// - Summaries begin with the same verb and use the same noun, never the kind: "Fork an agent."
// - Operations of a collection have its tag if a plugin has that name; others have the tag of their plugin.
// - Schemas of cluster objects have the name of their kind (`AgentDeployment`); bodies end in `Input`, lists in `List`.

const crud: Readonly<Record<string, readonly [collection: string, item: string]>> = {
  GET: ['list', 'get'],
  POST: ['create', ''],
  PUT: ['', 'replace'],
  DELETE: ['', 'delete'],
}

/** Tag of an operation: the collection if a plugin has that name, else the plugin. */
export function tagOf({ plugin, prefix, endpoint }: MountedEndpoint, plugins: ReadonlySet<string>): string {
  const [, first = ''] = endpoint.url.split('/')
  // Routes of a third party have their own prefix and keep its tag.
  return prefix === '/api' && plugins.has(first) ? first : plugin
}

/** Lists violations of the naming rules, one line per operation. */
export function findMisnamed(catalog: readonly MountedEndpoint[]): readonly string[] {
  const urls = catalog.map(({ endpoint }) => endpoint.url)
  const isCollection = (segment: string): boolean =>
    segment.endsWith('s') && urls.includes(`/${segment}`) && urls.some((url) => url.startsWith(`/${segment}/`))
  return catalog.flatMap(({ endpoint: { method, url, id = '', summary } }) => {
    const [, first = '', ...rest] = url.split('/')
    const wrong = (what: string): string[] => [`${method} ${url}: ${what}`]
    if (id === '') return wrong('there is no id: a verb and the noun of the collection, such as getAgent')
    const [verb = ''] = /^[a-z]+/.exec(id) ?? []
    if (id !== first && !summary.toLowerCase().startsWith(`${verb} `))
      return wrong(`the summary does not begin with the verb of ${id}`)
    if (!isCollection(first)) return []
    const singulars = singularsOf(first)
    const names = singulars.map((singular) => crudName(method, rest, { plural: first, singular }))
    const [expected] = names
    if (expected !== undefined && !names.includes(id.toLowerCase())) return wrong(`the id ${id} is not ${expected}`)
    if (expected === undefined && !singulars.some((singular) => id.toLowerCase().includes(singular)))
      return wrong(`the id ${id} does not name ${singulars[0]}`)
    if (summary.split(/[\s,;.]/).some(isKindName)) return wrong('the summary names a kind')
    return []
  })
}

/** Possible singulars of a collection, the likeliest first: `-ves` may be the plural of a shelf or of an olive. */
function singularsOf(plural: string): readonly [string, ...string[]] {
  const stem = plural.replace(/ves$/, '')
  if (stem !== plural) return [`${stem}f`, `${stem}fe`, `${stem}ve`]
  if (/(?:[sxz]|[cs]h)es$/.test(plural)) return [plural.slice(0, -1), plural.slice(0, -2)]
  return [plural.replace(/ies$/, 'y').replace(/s$/, '')]
}

const termsInCamelCase = new Set(['CloudEvents', 'nextCursor'])

function isKindName(word: string): boolean {
  return /[a-z][A-Z]/.test(word) && !word.includes('=') && !termsInCamelCase.has(word)
}

function crudName(
  method: string,
  rest: readonly string[],
  { plural, singular }: { readonly plural: string; readonly singular: string },
): string | undefined {
  const [ofCollection, ofItem] = crud[method] ?? ['', '']
  if (rest.length === 0 && ofCollection !== '') return ofCollection + (ofCollection === 'list' ? plural : singular)
  const isItem = rest.length > 0 && rest.every((segment) => segment.startsWith(':'))
  return isItem && ofItem !== '' ? ofItem + singular : undefined
}
