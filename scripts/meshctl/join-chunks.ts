import { basename } from 'node:path'
import { transform } from 'esbuild'
import type { OutputFile } from 'esbuild'

const head = `"use strict";const meshFile=require("node:url").pathToFileURL(__filename).href;const chunks={`

// A chunk is evaluated when another one imports it. `chunk` is a dynamic import.
const tail = `};const loaded=new Map;function load(name){const known=loaded.get(name);if(known!==undefined)return known.exports;const module={exports:{}};loaded.set(name,module);chunks[name](module,module.exports,inside);return module.exports}const inside=path=>Object.hasOwn(chunks,path)?load(path):require(path);const chunk=async name=>load(name);`

/**
 * Joins the chunks of a split bundle to one file of CommonJS, each as a function: V8 neither compiles nor evaluates those that a command does not
 * use. `entry` is the name of the chunk whose exports the file has.
 */
export async function joinChunks(files: readonly OutputFile[], entry: string): Promise<string> {
  const names = new Set(files.map(nameOf))
  const parts = await Promise.all(
    files.map(
      async (file) => `${JSON.stringify(nameOf(file))}:(module,exports,require)=>{${await toFunction(file, names)}}`,
    ),
  )
  return `${head}${parts.join(',\n')}${tail}module.exports=load(${JSON.stringify(entry)});\n`
}

// The names by which chunks import each other.
function nameOf({ path }: OutputFile): string {
  return `./${basename(path)}`
}

async function toFunction({ text }: OutputFile, names: ReadonlySet<string>): Promise<string> {
  // Only chunks: the platform is a module beside the file, which Node.js imports.
  const source = text.replaceAll(/\bimport\(("(\.\/[^"]+)")\)/g, (whole, quoted: string, name: string) =>
    names.has(name) ? `chunk(${quoted})` : whole,
  )
  const { code } = await transform(source, {
    format: 'cjs',
    platform: 'node',
    target: 'node26',
    minifySyntax: true,
    minifyWhitespace: true,
  })
  return code
}
