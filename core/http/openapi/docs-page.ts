import { createHash } from 'node:crypto'

const STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{max-width:70rem;margin:0 auto;padding:1rem}
code,pre{font:13px/1.5 ui-monospace,monospace}details{border:1px solid #8886;border-radius:6px;margin:.4rem 0;padding:.3rem .7rem}
summary{cursor:pointer}b.m{display:inline-block;min-width:4.5rem}pre{overflow:auto;background:#8881;padding:.6rem;border-radius:6px}
h2{margin-top:2rem;text-transform:capitalize}input{font:inherit;padding:.3rem .6rem;width:100%;box-sizing:border-box}`

// Everything from the document is set as text, never as markup.
const SCRIPT = `const el=(n,t,c)=>{const e=document.createElement(n);if(t!==undefined)e.textContent=t;if(c)e.className=c;return e};
const show=(root,title,value)=>{if(!value||Array.isArray(value)&&!value.length)return;root.append(el('h4',title));root.append(el('pre',JSON.stringify(value,null,2)))};
fetch('/openapi.json').then(r=>r.json()).then(doc=>{const main=document.querySelector('main'),groups=new Map();
for(const[path,ops]of Object.entries(doc.paths))for(const[method,op]of Object.entries(ops)){const tag=op.tags[0];if(!groups.has(tag))groups.set(tag,[]);groups.get(tag).push([method,path,op])}
for(const[tag,ops]of[...groups].sort()){main.append(el('h2',tag));for(const[method,path,op]of ops){const d=el('details');d.dataset.find=(method+' '+path+' '+op.summary).toLowerCase();
const s=el('summary');s.append(el('b',method.toUpperCase(),'m'),el('code',path),' '+op.summary);d.append(s);
d.append(el('p','Access: '+op['x-mesh-authz']));show(d,'Parameters',op.parameters);show(d,'Body',op.requestBody&&op.requestBody.content['application/json'].schema);show(d,'Answers',op.responses);main.append(d)}}});
document.querySelector('input').addEventListener('input',e=>{const q=e.target.value.toLowerCase();for(const d of document.querySelectorAll('details'))d.hidden=!d.dataset.find.includes(q)});`

/** The page at `/docs`: self-contained, it reads `/openapi.json` of the same server. */
export const docsPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>mesh API</title><style>${STYLE}</style></head><body><h1>mesh API</h1><p>Every route wants your cluster bearer: <code>curl -H "Authorization: Bearer $TOKEN"</code>. The document itself is <a href="/openapi.json">/openapi.json</a>.</p><input type="search" placeholder="Find a route" aria-label="Find a route"><main></main><script>${SCRIPT}</script></body></html>`

/** Its policy: only this style and this script, by hash. */
export const docsPolicy = `default-src 'none'; connect-src 'self'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
