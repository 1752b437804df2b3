import { setTimeout as pause } from 'node:timers/promises'
import { chromium, withoutChromium } from '#test/harness/find-chromium.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openTab } from '../clients/cdp.ts'

const READY_MS = 60_000

/** Skips a test on a machine without Chromium. */
export const needsChromium = {
  skip: withoutChromium ?? false,
}

/** A page in headless Chromium. */
export interface BrowserPage {
  /** Paths of the requests since the page was opened. */
  readonly requests: readonly string[]
  /** Errors of the console: exceptions, refused scripts and styles. */
  readonly problems: readonly string[]
  open(url: string): Promise<void>
  /** Text of the page that is shown. */
  text(): Promise<string>
  /** Waits until the text of the page matches. */
  until(pattern: RegExp): Promise<void>
  /** Writes into the field of a label, and sends its form. */
  submit(selector: string, value: string): Promise<void>
  click(selector: string): Promise<void>
  /** Value of an expression in the page; a promise is awaited. */
  evaluate(expression: string): Promise<unknown>
}

/** Opens a browser with an empty profile. */
export async function openBrowser(t: Scope): Promise<BrowserPage> {
  const folder = tempFolder('chromium')
  const requests: string[] = []
  const problems: string[] = []
  const tab = await openTab(chromium ?? '', folder.path, (method, params) => {
    if (method === 'Network.requestWillBeSent') requests.push(pathOf(params))
    if (method === 'Runtime.exceptionThrown') problems.push(JSON.stringify(params['exceptionDetails']))
    const { entry } = params as { readonly entry?: { readonly level: string; readonly text: string } }
    if (method === 'Log.entryAdded' && entry?.level === 'error') problems.push(entry.text)
  })
  t.after(async () => {
    await tab.close()
    folder.remove()
  })
  for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await tab.send(`${domain}.enable`)
  const evaluate = async (expression: string): Promise<unknown> => {
    const asked = { expression, awaitPromise: true, returnByValue: true }
    const { result } = (await tab.send('Runtime.evaluate', asked)) as { result?: { value?: unknown } }
    return result?.value
  }
  const text = async (): Promise<string> => String(await evaluate('document.body?.innerText ?? ""'))
  return {
    requests,
    problems,
    text,
    evaluate,
    open: async (url) => {
      requests.length = 0
      await tab.send('Page.navigate', { url })
    },
    until: async (pattern) => {
      const end = Date.now() + READY_MS
      for (let shown = ''; !pattern.test(shown); shown = await text()) {
        if (Date.now() > end) throw new Error(`the page does not show ${pattern}: ${shown}\n${problems.join('\n')}`)
        await pause(100)
      }
    },
    submit: async (selector, value) => {
      // React reads what the setter of the element was given.
      await evaluate(`{
        const field = document.querySelector(${JSON.stringify(selector)})
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(value)})
        field.dispatchEvent(new Event('input', { bubbles: true }))
        field.form.requestSubmit()
      }`)
    },
    click: async (selector) => {
      await evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`)
    },
  }
}

function pathOf(params: Readonly<Record<string, unknown>>): string {
  const { request } = params as { readonly request?: { readonly url: string } }
  return new URL(request?.url ?? 'about:blank').pathname
}
