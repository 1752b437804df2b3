import { addDays, endOfMonth } from '../store/period.ts'
import { toCsv } from '#schemas/values/csv.ts'
import type { Cell } from '#schemas/values/csv.ts'
import type { ExportLine } from './line.ts'

// FOCUS 1.1 (https://focus.finops.org), and own columns, which begin with `x_`.
const columns = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'ListUnitPrice',
  'PricingCategory',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'SkuId',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'Tags',
  'x_CachedTokens',
  'x_Calls',
  'x_InputTokens',
  'x_Operation',
  'x_OutputTokens',
  'x_PendingCalls',
  'x_ReasoningTokens',
  'x_Subject',
  'x_UnpricedCalls',
] as const

type Row = Readonly<Record<(typeof columns)[number], Cell>>

/**
 * Lines as CSV in FOCUS columns, for the billing account of an installation. The cost of an unpriced line is empty, which FOCUS does not allow: 0
 * would be wrong. Unit prices are empty, since the tokens of a line have several prices. Pure.
 */
export function toFocusCsv(lines: readonly ExportLine[], install: string): string {
  return toCsv(
    columns,
    lines.map((line) => toRow(line, install)),
  )
}

function toRow(line: ExportLine, install: string): Row {
  const { sums, cost, agent, model, provider, operation } = line
  const tokens = String(BigInt(sums.input) + BigInt(sums.output))
  const isPriced = cost !== null
  return {
    ...periodsOf(line.day),
    BilledCost: cost,
    ContractedCost: cost,
    EffectiveCost: cost,
    ListCost: cost,
    ContractedUnitPrice: null,
    ListUnitPrice: null,
    BillingAccountId: install,
    BillingAccountName: install,
    BillingCurrency: line.currency,
    ChargeCategory: 'Usage',
    ChargeClass: null,
    ChargeDescription: `${operation} with ${model ?? 'an unknown model'}`,
    ChargeFrequency: 'Usage-Based',
    ConsumedQuantity: tokens,
    ConsumedUnit: 'Tokens',
    PricingCategory: isPriced ? 'Standard' : null,
    PricingQuantity: isPriced ? tokens : null,
    PricingUnit: isPriced ? 'Tokens' : null,
    InvoiceIssuerName: provider,
    ProviderName: provider,
    PublisherName: provider,
    RegionId: null,
    RegionName: null,
    ResourceId: line.agentUid,
    ResourceName: agent,
    ResourceType: agent === null ? null : 'Agent',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: model,
    SkuId: model,
    SkuPriceId: line.price,
    SubAccountId: line.namespaceUid ?? line.namespace,
    SubAccountName: line.namespace,
    Tags: JSON.stringify(line.tenant === null ? {} : { tenant: line.tenant }),
    x_CachedTokens: sums.cached,
    x_Calls: sums.calls,
    x_InputTokens: sums.input,
    x_Operation: operation,
    x_OutputTokens: sums.output,
    x_PendingCalls: sums.pending,
    x_ReasoningTokens: sums.reasoning,
    x_Subject: line.subject,
    x_UnpricedCalls: sums.unpriced,
  }
}

// Ends are exclusive in FOCUS.
function periodsOf(day: string) {
  const start = (date: string): string => `${date}T00:00:00Z`
  return {
    BillingPeriodStart: start(`${day.slice(0, 8)}01`),
    BillingPeriodEnd: start(addDays(endOfMonth(day), 1)),
    ChargePeriodStart: start(day),
    ChargePeriodEnd: start(addDays(day, 1)),
  }
}
