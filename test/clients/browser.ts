import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromium, withoutChromium } from '#test/harness/find-chromium.ts'
import { openTab } from './cdp.ts'
import type { Tab } from './cdp.ts'
import type { Check, Workspace } from './workspace.ts'

const READY_MS = 60_000

/** The pages, and a selector that shows that each is complete. */
const pages = {
  '/': "document.body.textContent.includes('Sign in to')",
  // Groups but the first are collapsed, and show the paths of their routes only.
  '/docs': "document.getElementById('reference').textContent.includes('/api/agents/{ns}/{name}/fork')",
  '/openapi.json': "document.body.textContent.includes('openapi')",
} as const

/** Opens each page in headless Chromium. It must be complete, without console errors and failed requests. */
export function browserCheck(workspace: Workspace): Check {
  const name = 'chromium'
  const program = chromium
  if (program === undefined) return { name, missing: withoutChromium, steps: {} }
  const steps = Object.entries(pages).map(([path, ready], index) => {
    const profile = join(workspace.folder, `chromium-${index}`)
    return [path, () => openPage(workspace, { program, profile, path, ready })] as const
  })
  return { name, steps: Object.fromEntries(steps) }
}

async function openPage(
  { server }: Workspace,
  { program, profile, path, ready }: Readonly<Record<'program' | 'profile' | 'path' | 'ready', string>>,
): Promise<void> {
  const { url } = await server
  mkdirSync(profile)
  const problems: string[] = []
  const requested: string[] = []
  const tab = await openTab(program, profile, (method, params) => {
    const problem = problemOf(method, params)
    if (problem !== undefined) problems.push(problem)
    if (method === 'Network.requestWillBeSent') requested.push((params['request'] as { url: string }).url)
  })
  try {
    for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await tab.send(`${domain}.enable`)
    await tab.send('Page.navigate', { url: url + path })
    await untilTrue(tab, ready, () => problems)
    // Waits for late log lines and requests.
    await setTimeout(1000)
    const foreign = requested.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))
    if (foreign.length > 0) problems.push(`requests of other hosts: ${foreign.join(' ')}`)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  } finally {
    await tab.close()
  }
}

async function untilTrue(tab: Tab, expression: string, problems: () => readonly string[]): Promise<void> {
  const deadline = Date.now() + READY_MS
  for (;;) {
    const { result } = (await tab.send('Runtime.evaluate', { expression })) as { result?: { value?: unknown } }
    if (result?.value === true) return
    if (Date.now() > deadline) throw new Error(`not complete after ${READY_MS} ms\n${problems().join('\n')}`)
    await setTimeout(100)
  }
}

function problemOf(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const { entry, type, args, response, exceptionDetails } = params as {
    readonly entry?: { readonly level: string; readonly text: string; readonly url?: string }
    readonly type?: string
    readonly args?: readonly { readonly value?: unknown }[]
    readonly response?: { readonly status: number; readonly url: string }
    readonly exceptionDetails?: { readonly text: string }
  }
  if (method === 'Log.entryAdded' && entry?.level === 'error') return `${entry.text} ${entry.url ?? ''}`
  if (method === 'Runtime.consoleAPICalled' && type === 'error')
    return args?.map(({ value }) => String(value)).join(' ')
  if (method === 'Runtime.exceptionThrown') return exceptionDetails?.text
  if (method === 'Network.responseReceived' && (response?.status ?? 0) >= 400)
    return `${response?.status} ${response?.url}`
  return undefined
}
