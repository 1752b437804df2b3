const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`)

/** The words of the page of the topology, in English. */
export const topologyText = {
  title: 'Topology',
  view: 'View',
  graph: 'Graph',
  table: 'Table',
  find: 'Find an object',
  show: 'Show',
  all: (count: number) => `All ${count}`,
  trouble: (count: number) => `Trouble ${count}`,
  shown: (count: number) =>
    `Line width is calls of the last hour. ${counted(count, 'object is', 'objects are')} shown.`,
  omitted: (left: string) => `Those in trouble are shown first. Left out: ${left}.`,
  cut: 'A kind has more objects than the 500 that are read.',
  graphLabel: (count: number) => `Graph of ${counted(count, 'object', 'objects')}; the table has the same lines`,
  tableLabel: 'References between objects',
  empty: 'No agents, and nothing that they use',
  emptyDetail: 'Agents, their registries, tools, knowledge and models are drawn here, with the calls between them.',
  columns: { from: 'From', to: 'To', kind: 'Reference', calls: 'Calls, 1 h', failed: 'Failed', p95: 'p95' },
  edgeKinds: { calls: 'calls', uses: 'uses', member: 'member of', routes: 'routes to' },
  item: {
    namespace: 'Namespace',
    kind: 'Kind',
    runs: 'Runs, 1 h',
    failed: 'Failed',
    cost: 'Cost, 24 h',
    missing: 'This object does not exist',
    missingDetail: 'Another object refers to it.',
    out: 'Refers to',
    in: 'Referred to by',
    none: 'nothing',
    open: 'Open',
    other: 'This object is not shown',
    otherDetail: 'It does not exist, is left out by the filter, or you may not list it.',
  },
} as const
