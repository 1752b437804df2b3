import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { PARTS_PROGRAM, packConsole } from '../../scripts/console/pack-console.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { looks, openLook, startBrowser } from './look.ts'

const usage = `usage: npm run console:pictures -- [--out FOLDER] [PART ...]
  Writes pictures of the shell and of each part in both themes and both widths, for people to look at. No test compares them.
`
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: 'dist/console' }, help: { type: 'boolean' } },
  allowPositionals: true,
})
if (values.help === true) {
  process.stdout.write(usage)
  process.exit(0)
}
const root = fileURLToPath(new URL('../../', import.meta.url))
const ends: (() => unknown)[] = []
const scope = { after: (end: () => unknown) => void ends.push(end) }
mkdirSync(values.out, { recursive: true })
try {
  const browser = await startBrowser(scope)
  const shell = await serveConsole(scope, await consoleFiles(), cannedShell)
  const parts = await serveConsole(scope, (await packConsole(root, PARTS_PROGRAM)).files)
  for (const look of looks) {
    const suffix = `${look.width}-${look.scheme}.png`
    if (positionals.length === 0) {
      const { page } = await openLook(browser, `${shell}/feedback#code=once`, look)
      await page.waitForSelector('tbody tr')
      await page.screenshot({ path: join(values.out, `shell-${suffix}`) })
      await page.context().close()
    }
    const { page } = await openLook(browser, `${parts}/parts`, look)
    await page.waitForSelector('[data-part="WaterfallTools"]')
    for (const element of await page.locator('[data-part]').all()) {
      const part = (await element.getAttribute('data-part')) ?? ''
      if (positionals.length > 0 && !positionals.includes(part)) continue
      await element.screenshot({ path: join(values.out, `${part}-${suffix}`) })
    }
    await page.context().close()
  }
} finally {
  for (const end of ends.toReversed()) await end()
}
