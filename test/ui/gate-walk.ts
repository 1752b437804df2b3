import type { Locator, Page } from 'playwright-core'
import type { Platform } from '../flows/platform/running-platform.ts'
import { untilShown } from './open-console.ts'

/** The namespace of the walk. */
export const walked = 'demo'

// Not the namespace; a required one says so in its label.
const NAME = /^Name(?!space)/

/** A model whose replies depend on the prompt, and its route `front-desk`. */
export async function makeFrontDesk({ kube, send, tokens }: Platform): Promise<void> {
  const metadata = { name: 'front-desk', namespace: walked }
  const script = [
    { systemContains: 'friendly', contains: 'appointment', reply: 'Welcome! Please take a seat.' },
    { systemContains: 'friendly', contains: 'Ada', reply: 'Welcome, Ada!' },
    { systemContains: 'friendly', reply: 'Welcome! How can I help you?' },
    { reply: 'Next.' },
  ]
  const spec = { type: 'mock', mock: { script } }
  const provider = { apiVersion: 'mesh.dev/v1alpha1', kind: 'ModelProvider', metadata, spec }
  const path = `/apis/mesh.dev/v1alpha1/namespaces/${walked}/modelproviders`
  const made = await kube({ method: 'POST', path, bearer: tokens.admin, body: provider })
  const route = { metadata, spec: { providerRef: { name: metadata.name }, model: 'mock-1' } }
  const routed = await send({ method: 'POST', path: '/api/modelroutes', bearer: tokens.admin, body: route })
  if (made.status !== 201 || routed.status !== 201) throw new Error(`${made.text} ${routed.text}`)
}

/** Opens a page of the navigation; a section that was never opened is folded. */
export async function openPage(page: Page, section: string, name: string): Promise<void> {
  const fold = page.getByRole('navigation').getByRole('button', { name: section })
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await untilShown(page)
}

/** Opens a tab of the page. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click()
  await untilShown(page)
}

/** Writes the prompt `greet` with its first text, and labels it. */
export async function writePrompt(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New prompt' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('greet')
  await dialog.getByLabel('Namespace').fill(walked)
  await dialog.getByRole('textbox', { name: 'Text' }).fill(text)
  await dialog.getByLabel('Label it').selectOption('production')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/prompts\/demo\/greet/)
}

/** Writes this version of the prompt, and moves the label of its agents to it. */
export async function changePrompt(page: Page, version: number, text: string): Promise<void> {
  await openPage(page, 'Build', 'Prompts')
  await page.getByRole('gridcell', { name: 'greet' }).first().click()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New version' }).click()
  await dialog.getByRole('textbox', { name: 'Text' }).fill(text)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Move a label' }).click()
  await dialog.locator(`input[value='${version}']`).waitFor()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Makes `reception` from a recipe: its prompt is the managed one. */
export async function makeAgent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New agent' }).first().click()
  await page.waitForURL(/\/agents\/new/)
  await page.getByRole('button', { name: /^Hello/ }).click()
  await page.getByRole('textbox', { name: NAME }).first().fill('reception')
  await page.getByRole('textbox', { name: 'Route', exact: true }).fill('front-desk')
  await page.getByRole('textbox', { name: 'System prompt' }).fill('')
  await page.getByRole('textbox', { name: 'Namespace' }).fill(walked)
  const prompt = await unfold(page, 'Prompt')
  await prompt.getByRole('textbox', { name: NAME }).fill('greet')
  await prompt.getByRole('textbox', { name: 'Label' }).fill('production')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/agents\/demo\/reception/)
}

/** Says something to the agent, and waits for its reply. */
export async function talk(page: Page, input: string, reply: string): Promise<void> {
  const replies = page.getByText(reply, { exact: true })
  const before = await replies.count()
  await page.getByRole('textbox', { name: 'Message reception' }).fill(input)
  await page.getByRole('button', { name: 'Send' }).click()
  await replies.nth(before).waitFor()
  await page.getByRole('complementary', { name: 'Run' }).getByText('Succeeded').first().waitFor()
}

/** Saves the open run as a case: the first one makes the dataset, which the next ones find chosen. */
export async function saveAsCase(page: Page, isFirst: boolean): Promise<void> {
  await page.getByRole('button', { name: 'Save as case' }).click()
  const dialog = page.getByRole('dialog')
  const chosen = dialog.getByRole('combobox', { name: 'Dataset' })
  if (isFirst) {
    // The namespace of the demo may have other datasets.
    await dialog.getByRole('textbox', { name: 'Expected output' }).waitFor()
    if ((await chosen.count()) > 0) await chosen.selectOption({ label: 'A new dataset …' })
    await dialog.getByLabel('Name of the new dataset').fill('arrivals')
  } else if ((await chosen.inputValue()) !== 'arrivals') throw new Error('the dataset of the last case is not chosen')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Labels the case with an expected output by the keyboard. A press in the first moment of a case is taken for one of the case before. */
export async function judge(page: Page, expected: string): Promise<void> {
  const shown = page.getByRole('main').getByText(expected, { exact: true })
  await shown.waitFor()
  while (await shown.isVisible()) {
    await page.keyboard.press('y')
    await page.waitForTimeout(100)
  }
}

/** Pins the cases of the open dataset. */
export async function pinCases(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'operator' }).waitFor()
}

/** Fills the form of the suite `welcoming`, and creates it. */
export async function makeSuite(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New suite' }).first().click()
  const metadata = page.getByRole('group', { name: 'Metadata' })
  await metadata.getByRole('textbox', { name: NAME }).fill('welcoming')
  await metadata.getByRole('textbox', { name: 'Namespace' }).fill(walked)
  const spec = page.getByRole('group', { name: 'Spec' })
  const dataset = await unfold(spec, 'Dataset ref')
  await dataset.getByRole('textbox', { name: NAME }).fill('arrivals')
  await dataset.getByRole('textbox', { name: 'Version' }).fill('1')
  const evaluators = await unfold(spec, 'Evaluators')
  await evaluators.getByRole('button', { name: 'Add to Evaluators' }).click()
  // What was added is open.
  const added = evaluators.getByRole('group', { name: 'Evaluators 1' })
  await added.getByRole('textbox', { name: NAME }).fill('same')
  await added.getByRole('textbox', { name: 'Type' }).fill('exact')
  await spec.getByRole('textbox', { name: 'Min score' }).fill('0.8')
  const baseline = await unfold(spec, 'Baseline')
  await baseline.getByLabel('Revision').fill('deployed')
  await baseline.getByRole('textbox', { name: 'Max regression' }).fill('0.1')
  await page.getByRole('button', { name: 'New suite', exact: true }).click()
  await page.waitForURL(/\/evals\/demo\/welcoming/)
}

/** Names the suite as the gate of the open agent. */
export async function gateAgent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).click()
  const gate = await unfold(page.getByRole('group', { name: 'Spec' }), 'Eval gate')
  const suite = await unfold(gate, 'Suite ref')
  await suite.getByRole('textbox', { name: NAME }).fill('welcoming')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** A group of fields, open. */
async function unfold(form: Page | Locator, name: string): Promise<Locator> {
  const group = form.getByRole('group', { name, exact: true })
  const fold = group.getByRole('button').first()
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
  return group
}
