import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, withoutChromium } from '#test/harness/find-chromium.ts'
import type { Look } from '../console/look.ts'
import { openConsole, untilShown, watchPage } from './open-console.ts'
import type { DemoContent } from './demo-content.ts'
import { consoleRoutePaths } from './shown-pages.ts'

const usage = `usage: npm run console:shots -- [--out FOLDER]
  Starts a platform with the demo and writes pictures of pages of the console, in both themes, for README and docs. No test compares them.
`
const { values } = parseArgs({
  options: { out: { type: 'string', default: 'docs/console' }, help: { type: 'boolean' } },
})
if (values.help === true || chromium === undefined) {
  process.stdout.write(values.help === true ? usage : `NOT RUN: ${withoutChromium ?? ''}\n`)
  process.exit(0)
}

const pagesOf = ({ failed }: DemoContent): Readonly<Record<string, string>> => ({
  home: '/',
  agents: '/agents',
  playground: '/agents/demo/hello?tab=playground',
  runs: '/runs',
  run: `/runs/${failed}`,
  approvals: '/approvals',
  cost: '/cost',
  audit: '/audit',
})

const routes = await consoleRoutePaths()

// A page that this console does not have has no picture.
function isPage(path: string): boolean {
  const [own = ''] = path.split('?')
  return routes.some((route) => new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`).test(own))
}

const ends: (() => unknown)[] = []
mkdirSync(values.out, { recursive: true })
try {
  const { platform, content, open } = await openConsole({ after: (end: () => unknown) => void ends.push(end) }, 'admin')
  for (const scheme of ['light', 'dark'] as const) {
    const look: Look = { scheme, width: 'wide' }
    const context = await open(look)
    const { page } = await watchPage(context)
    for (const [name, path] of Object.entries(pagesOf(content)).filter(([, own]) => isPage(own))) {
      await page.goto(`${platform.url}${path}`)
      await untilShown(page)
      await page.screenshot({ path: join(values.out, `${name}-${scheme}.png`) })
    }
    await context.close()
  }
} finally {
  for (const end of ends.toReversed()) await end()
}
