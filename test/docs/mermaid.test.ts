import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openTab } from '#test/clients/cdp.ts'
import { chromium, withoutChromium } from '#test/harness/find-chromium.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { mermaidScript } from './mermaid-script.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const diagrams = globSync('docs/**/*.md', { cwd: root }).toSorted().flatMap(diagramsOf)

test('each page of concepts has one diagram at most, and the overview has one', () => {
  const pages = diagrams.map(({ page }) => page)
  assert.ok(pages.includes('docs/concepts/overview.md'))
  assert.deepEqual(pages, [...new Set(pages)])
})

test(
  'every mermaid diagram of the documents is rendered by Chromium without an error',
  { skip: withoutChromium ?? false },
  async (t) => {
    assert.ok(chromium !== undefined)
    const script = readScript(t)
    if (script === undefined) return
    const folder = tempFolder('mermaid')
    t.after(folder.remove)
    const tab = await openTab(chromium, folder.path, () => undefined)
    t.after(() => tab.close())
    await tab.send('Runtime.evaluate', { expression: script })
    assert.match(await render(tab, 'flowchart LR\n  a --> --> b'), /Parse error/, 'a broken diagram is found')
    for (const { page, text } of diagrams) assert.equal(await render(tab, text), 'svg', page)
  },
)

// Rendering requires the script from the registry.
function readScript(t: TestContext): string | undefined {
  try {
    return mermaidScript()
  } catch (error) {
    t.skip(`mermaid cannot be downloaded: ${String(error).slice(0, 200)}`)
    return undefined
  }
}

async function render(tab: Awaited<ReturnType<typeof openTab>>, text: string): Promise<string> {
  const rendered = `mermaid.render('diagram', ${JSON.stringify(text)}).then(({ svg }) => svg.slice(1, 4), (error) => String(error))`
  const { result } = (await tab.send('Runtime.evaluate', { expression: rendered, awaitPromise: true })) as {
    result?: { value?: unknown }
  }
  return String(result?.value)
}

function diagramsOf(page: string): { page: string; text: string }[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, body = '']) => ({ page, text: body }))
}
