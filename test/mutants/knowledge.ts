import type { Mutant } from './mutant.ts'

const search = ['core/retrieval/hybrid-search.test.ts']
const ingest = ['plugins/knowledge/ingest/ingest.test.ts']
const agents = ['plugins/knowledge/search/bases-of-agent.test.ts']

/** Defects of knowledge: rows of others, vectors of another model, limits, addresses, later documents. */
export const mutants: readonly Mutant[] = [
  {
    name: 'knowledge: the documents of a base are listed for another one',
    file: 'plugins/knowledge/store/list-documents.ts',
    find: "    .where('base_uid', '=', baseUid)\n",
    replace: '',
    tests: ['plugins/knowledge/store/list-documents.test.ts'],
  },
  {
    name: 'knowledge: a search by words leaves its scope',
    file: 'core/retrieval/hybrid-search.ts',
    find: 'where (${scope}) and search @@',
    replace: 'where search @@',
    tests: search,
  },
  {
    name: 'knowledge: vectors of another space are compared',
    file: 'core/retrieval/hybrid-search.ts',
    find: 'and embedding_space = ${space} and',
    replace: 'and',
    tests: search,
  },
  {
    name: 'knowledge: the chunks of a namespace are not limited',
    file: 'plugins/knowledge/ingest/run-ingest.ts',
    find: 'if (ofNamespace > settings.chunksPerNamespace)',
    replace: 'if (ofNamespace > Number.MAX_SAFE_INTEGER)',
    tests: ingest,
  },
  {
    name: 'knowledge: an earlier ingest that ends later replaces the document',
    file: 'plugins/knowledge/store/documents.ts',
    find: 'row.ingest_order > ingestOrder',
    replace: 'false',
    tests: ingest,
  },
  {
    name: 'knowledge: a redirect leaves the guard',
    file: 'plugins/knowledge/ingest/fetch-document.ts',
    find: "  'address_refused',\n",
    replace: '',
    tests: ingest,
  },
  {
    name: 'knowledge: an agent searches a knowledge base that does not allow its namespace',
    file: 'plugins/knowledge/search/bases-of-agent.ts',
    find: 'object !== undefined && mayRefer(from, ref.namespace, object.spec.allowedNamespaces)',
    replace: 'object !== undefined',
    tests: agents,
  },
  {
    name: 'knowledge: an agent searches a knowledge base that its spec does not name',
    file: 'plugins/knowledge/search/bases-of-agent.ts',
    find: '(agent.spec.knowledge ?? []).filter(({ name }) => wanted === undefined || name === wanted)',
    replace: '(wanted === undefined ? (agent.spec.knowledge ?? []) : [{ name: wanted }])',
    tests: agents,
  },
  {
    name: 'knowledge: the loop does not offer its search',
    file: 'plugins/knowledge/launcher/search-tool.ts',
    find: '    always: true,\n',
    replace: '',
    tests: ['plugins/knowledge/launcher/knowledge.test.ts'],
  },
]
