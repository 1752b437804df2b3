import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** Licences of every package in the bundles or with a copied file, as their terms require: name, version and text of each. */
export function toNotices(root: string, bundles: readonly Metafile[], copied: readonly string[]): string {
  const folders = new Set([...bundles.flatMap(({ inputs }) => Object.keys(inputs)).flatMap(packageFolder), ...copied])
  const notices = [...folders].toSorted().map((folder) => noticeOf(join(root, folder)))
  return `Packages that this one contains\n\n${notices.join('\n')}`
}

// The innermost node_modules is used, since a package may contain its own version of another.
function packageFolder(input: string): string[] {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)
  return found === null ? [] : [found[0]]
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const texts = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e,NOTICE,COPYING}{,.md,.txt,-MIT}', { cwd: folder })
  const text = texts.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (text.length === 0 && license === undefined) throw new Error(`${folder} says nothing about its licence`)
  return `${'-'.repeat(80)}\n${name} ${version}: ${license ?? 'see below'}\n\n${text.join('\n\n')}\n`
}
