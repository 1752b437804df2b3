const several = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const serves = (isServing: boolean): string => (isServing ? 'An earlier version serves.' : 'No version serves.')

interface SpentBudget {
  readonly spent: string
  readonly limit: string
  readonly window: 'hour' | 'day' | 'week' | 'month' | 'total'
  readonly isOver: boolean
}

/** The words of Home, in English. */
export const homeText = {
  title: 'Home',
  newAgent: 'New agent',
  range: 'Time range',
  ranges: { '24h': '24 h', '7d': '7 d', '30d': '30 d' },
  attention: {
    title: 'Needs attention',
    quiet: (since: string) => `All quiet since ${since}`,
    quietDetail: 'No run waits for a person, and every agent that you may list is well.',
    nothingSeen: 'You may list neither runs, agents nor MCP servers, so that nothing can be said here.',
    fails: (name: string, share: string) => `${name} fails ${share} of its runs`,
    failsWhy: (failed: number, runs: number) =>
      `${failed.toLocaleString('en')} of ${several(runs, 'run', 'runs')} in the last 24 hours.`,
    seeFailed: 'See failed runs',
    waits: (count: number) => `${several(count, 'run waits', 'runs wait')} for a decision`,
    waitsWhy: (agent: string, reason: string) => `The oldest is of ${agent}: ${reason}.`,
    noAgent: 'the platform',
    review: 'Review',
    held: (name: string) => `The newest version of ${name} is held back`,
    heldWhy: (reason: string, isServing: boolean) => `${reason}. ${serves(isServing)}`,
    servesWhy: (isServing: boolean) => serves(isServing),
    failsToStart: (name: string) => `The newest version of ${name} does not start`,
    // By the reason of the condition.
    references: {
      NotFound: (name: string, target: string) => `${name} refers to ${target}, which does not exist`,
      NotAllowed: (name: string, target: string) => `${name} refers to ${target}, which its namespace may not use`,
      KindNotAvailable: (name: string, target: string) => `${name} refers to ${target}, whose kind is not installed`,
      SecretNotForAgents: (name: string, target: string) => `${name} refers to ${target}, which is of the platform`,
    },
    anObject: 'an object',
    compare: 'Compare',
    nearlySpent: (name: string, share: string) => `${name} has spent ${share} of its budget`,
    spent: (name: string) => `${name} has spent its budget`,
    budgetWhy: ({ spent, limit, window, isOver }: SpentBudget) =>
      `${spent} of ${limit}${window === 'total' ? '' : ` this ${window}`}.${isOver ? ' Its model calls are refused.' : ''}`,
    seeSpend: 'See the spend',
    unready: (name: string) => `${name} is not ready`,
    openAgent: 'Open',
    manifests: (count: number) => `${several(count, 'MCP server offers', 'MCP servers offer')} other tools than before`,
    manifestsWhy: (name: string) => `${name} is the first. Its new tools are blocked until they are accepted.`,
    see: 'See what changed',
    more: (count: number) => `and ${several(count, 'further agent', 'further agents')}`,
  },
  metrics: {
    label: 'Numbers',
    runs: 'Runs',
    running: (paused: number) => `${paused.toLocaleString('en')} paused`,
    runsLine: (range: string, count: string) => `Runs in ${range}: ${count}`,
    succeeded: 'Succeeded',
    failed: (count: string) => `${count} failed`,
    noneEnded: 'No run has ended',
    succeededLine: (range: string, share: string) => `Share of succeeded runs in ${range}: ${share}`,
    spend: 'Spend this month',
    spendLine: (range: string) => `Cost of model calls in ${range}`,
    forecast: (amount: string) => `Forecast ${amount}`,
    noForecast: 'No forecast yet',
    unpriced: (count: number) => `${several(count, 'call', 'calls')} without a price`,
    otherCurrencies: (amounts: string) => `and ${amounts}`,
    notYours: 'You may not list this',
    duration: 'Duration, p95',
    median: (value: string) => `p50 ${value}`,
    durationLine: (range: string, value: string) => `95th percentile of the duration in ${range}: ${value}`,
  },
  recent: {
    title: 'Recent runs',
    all: 'All runs',
    empty: 'No runs yet',
    emptyDetail: 'A run begins when an agent is called.',
    state: 'State',
    agent: 'Agent',
    input: 'Input',
    duration: 'Duration',
    cost: 'Cost',
    started: 'Started',
  },
  busiest: {
    title: 'Busiest agents',
    all: 'All',
    empty: 'No agent has run in this time.',
    runs: (count: number, failed: number) =>
      `${several(count, 'run', 'runs')}${failed === 0 ? '' : `, ${failed.toLocaleString('en')} failed`}`,
    bars: (name: string, count: number, failed: number) =>
      `${name}: ${several(count, 'run', 'runs')}, ${failed} failed`,
  },
  steps: {
    title: 'First steps',
    start: 'Start',
    copy: 'Copy',
    copied: 'Copied',
    talk: 'Talk to an agent',
    talkHint: 'Each has a playground that shows the trace beside the answer.',
    trace: 'Follow a run',
    traceHint: 'Every step with its time, cost, input and output.',
    decide: 'Let an agent ask',
    decideHint: 'Send “approve 6 * 7” to careful: it waits for a decision.',
    make: 'Make your own agent',
    makeHint: 'From a recipe, a prompt or a file.',
    model: 'Connect a real model',
    modelHint: 'OpenAI, Anthropic, Azure, Ollama: docs/how-to/connect-a-model.md',
    terminal: 'Use a terminal',
    terminalHint: 'Sets URL, GATEWAY_URL, TOKEN and KUBECONFIG for curl, kubectl and any OpenAI client.',
    terminalCommand: 'eval "$(npx mesh env --as developer)"',
    api: 'Read the API',
    apiHint: 'Every route, with who may call it.',
  },
} as const
