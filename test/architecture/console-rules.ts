import { wordRule } from './rule.ts'
import type { Rule } from './rule.ts'

/** Files of the console whose markup people see. The states of the parts are examples for developers. */
function isMarkup(path: string): boolean {
  return /^(?:ui|plugins\/[^/]+\/console)\/.*\.tsx$/.test(path) && !/\.states\.tsx$|^ui\/states\//.test(path)
}

// Text between tags. A type with parameters may be before code, which begins with a keyword or has signs.
const prose =
  /(?<![=-])>(?!\s*(?:class|const|export|function|if|interface|let|return|type)\b)[^<>{}()[\]=:;,|&'"`]*[A-Za-z]{2}[^<>{}()[\]=:;|&`]*[<{]/
// Words in an attribute that is read out or shown.
const readOut = /\b(?:aria-label|aria-description|placeholder|title|alt|label)="[^"]*[A-Za-z]{2}/

// Each call bundles the whole program again. The page of the how-to is of another tree.
const packers =
  /^test\/(?:console\/(?:(?:budgets|parts|document-parts)\.test|pictures)|docs\/add-a-page\.test)\.ts$|^test\/(?:harness|architecture)\//

/** Rules of the console: words stand in text modules, and text of a response is never markup. */
export const consoleRules: readonly Rule[] = [
  wordRule({
    name: 'the console has its words in text modules, one a language',
    of: isMarkup,
    word: prose,
    bad: { path: 'plugins/runs/console/a.tsx', text: 'return <p>\n  No runs yet.\n</p>' },
  }),
  wordRule({
    name: 'the console has its words in text modules, also those that are read out',
    of: isMarkup,
    word: readOut,
    bad: { path: 'ui/parts/a.tsx', text: 'return <nav aria-label="Pages" />' },
  }),
  wordRule({
    name: 'the console makes no markup of text',
    of: (path) => /^(?:ui|plugins\/[^/]+\/console)\//.test(path),
    word: /\b(?:dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|srcDoc)\b/,
    bad: { path: 'ui/parts/a.tsx', text: 'element.innerHTML = value' },
  }),
  {
    name: 'tests use the console that the harness has packed',
    check: ({ path, code }) =>
      path.startsWith('test/') && !packers.test(path) && /\bpackConsole\b/.test(code)
        ? [`${path} packs the console`]
        : [],
    bad: { path: 'test/console/a.test.ts', text: 'const files = await packConsole(root)' },
  },
]
