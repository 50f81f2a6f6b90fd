import type Stripe from 'stripe';
import {
  address,
  checkFields,
  choice,
  type Fields,
  type Form,
  fields,
  invalid,
  list,
  metadata,
  parseForm,
  published,
  type Shape,
  text,
  whole,
  yesOrNo,
} from './shapes.ts';

/** Every published parameter, and no other: the compiler compares the lists with the package's. */
type Every<T> = Readonly<Record<keyof T, Shape>>;

const productData = {
  name: text(),
  description: text(),
  images: published,
  metadata,
  tax_code: published,
  tax_details: published,
  unit_label: published,
} satisfies Every<Stripe.Checkout.SessionCreateParams.LineItem.PriceData.ProductData>;

const priceData = {
  currency: text(3),
  product: published,
  product_data: fields(productData, 'name'),
  recurring: published,
  tax_behavior: published,
  unit_amount: whole(0, 99_999_999),
  unit_amount_decimal: published,
} satisfies Every<Stripe.Checkout.SessionCreateParams.LineItem.PriceData>;

const lineItem = {
  adjustable_quantity: published,
  metadata,
  price: published,
  price_data: fields(priceData, 'currency'),
  quantity: whole(1),
  tax_rates: published,
} satisfies Every<Stripe.Checkout.SessionCreateParams.LineItem>;

const paymentIntentData = {
  application_fee_amount: published,
  capture_method: published,
  description: text(1_000),
  metadata,
  on_behalf_of: published,
  receipt_email: published,
  setup_future_usage: published,
  shipping: published,
  statement_descriptor: published,
  statement_descriptor_suffix: published,
  transfer_data: published,
  transfer_group: published,
} satisfies Every<Stripe.Checkout.SessionCreateParams.PaymentIntentData>;

const adaptivePricing = {
  enabled: yesOrNo,
} satisfies Every<Stripe.Checkout.SessionCreateParams.AdaptivePricing>;
const expand = list(text(), 20);

const sessionCreate = {
  adaptive_pricing: fields(adaptivePricing),
  after_expiration: published,
  allow_promotion_codes: published,
  allowed_payment_method_types: published,
  automatic_tax: published,
  billing_address_collection: published,
  branding_settings: published,
  cancel_url: address,
  client_reference_id: text(200),
  consent_collection: published,
  currency: published,
  custom_fields: published,
  custom_text: published,
  customer: published,
  customer_account: published,
  customer_creation: published,
  customer_email: published,
  customer_update: published,
  discounts: published,
  excluded_payment_method_types: published,
  expand,
  expires_at: whole(),
  integration_identifier: published,
  invoice_creation: published,
  line_items: list(fields(lineItem), 100),
  locale: published,
  managed_payments: published,
  metadata,
  mode: choice('payment', 'setup', 'subscription'),
  name_collection: published,
  optional_items: published,
  origin_context: published,
  payment_intent_data: fields(paymentIntentData),
  payment_method_collection: published,
  payment_method_configuration: published,
  payment_method_data: published,
  payment_method_options: published,
  permissions: published,
  phone_number_collection: published,
  redirect_on_completion: published,
  return_url: published,
  saved_payment_method_options: published,
  setup_intent_data: published,
  shipping_address_collection: published,
  shipping_options: published,
  submit_type: published,
  subscription_data: published,
  success_url: address,
  tax_id_collection: published,
  ui_mode: published,
  wallet_options: published,
} satisfies Every<Stripe.Checkout.SessionCreateParams>;

const retrieve = { expand } satisfies Every<Stripe.Checkout.SessionRetrieveParams>;
const intentRetrieve = {
  client_secret: published,
  expand,
} satisfies Every<Stripe.PaymentIntentRetrieveParams>;
const disputeList = {
  charge: text(),
  created: published,
  ending_before: published,
  expand,
  limit: whole(1, 100),
  payment_intent: text(),
  starting_after: published,
} satisfies Every<Stripe.DisputeListParams>;

const created = fields({
  gt: published,
  gte: whole(0),
  lt: whole(0),
  lte: published,
} satisfies Every<Exclude<Stripe.BalanceTransactionListParams['created'], number | undefined>>);
const transactionList = {
  created,
  currency: published,
  ending_before: published,
  expand,
  limit: whole(1, 100),
  payout: text(),
  source: published,
  starting_after: text(),
  type: published,
} satisfies Every<Stripe.BalanceTransactionListParams>;
const payoutList = {
  arrival_date: published,
  created,
  destination: published,
  ending_before: published,
  expand: published,
  limit: whole(1, 100),
  starting_after: text(),
  status: published,
} satisfies Every<Stripe.PayoutListParams>;

const read = (of: Fields, given: string, ...needs: readonly string[]): Form => {
  const form = parseForm(given);
  checkFields({ kind: 'fields', of, needs }, form);
  return form;
};

export const readSessionRetrieve = (query: string) => read(retrieve, query);
export const readIntentRetrieve = (query: string) => read(intentRetrieve, query);
export const readDisputeList = (query: string) => read(disputeList, query);
export const readTransactionList = (query: string) => read(transactionList, query);
export const readPayoutList = (query: string) => read(payoutList, query);

export type Asked = {
  readonly name: string;
  readonly cents: number;
  readonly currency: string;
  readonly clientReferenceId: string | null;
  readonly metadata: Record<string, string>;
  readonly intentMetadata: Record<string, string>;
  readonly successUrl: string;
  readonly cancelUrl: string | null;
  readonly expiresAt: number | null;
  readonly expand: readonly string[];
};

const MINUTE_S = 60;
/** The least that can be paid in US dollars. */
const CENTS_MIN = 50;

/** A page for one payment, as far as it depends on more than one parameter. */
export function readSessionCreate(body: string, nowS: number): Asked {
  const form = read(sessionCreate, body, 'mode', 'line_items', 'success_url');
  if (form.mode !== 'payment') throw invalid(undefined, 'The local peer serves payments', 'mode');
  const items = Object.values(inner(form.line_items));
  if (items.length !== 1) throw invalid(undefined, 'The local peer takes one item', 'line_items');
  const item = inner(items[0]);
  const price = inner(item.price_data);
  const at = 'line_items[0]';
  for (const [key, value] of [
    ['quantity', item.quantity],
    ['price_data', item.price_data],
    ['price_data[product_data]', price.product_data],
    ['price_data[unit_amount]', price.unit_amount],
  ]) {
    const param = `${at}[${key}]`;
    if (!value) throw invalid('parameter_missing', `Missing required param: ${param}.`, param);
  }
  const currency = textOf(price.currency).toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) {
    throw invalid(undefined, `Invalid currency: ${currency}`, `${at}[price_data][currency]`);
  }
  const cents = Number(price.unit_amount) * Number(item.quantity);
  if (cents < CENTS_MIN) {
    throw invalid('amount_too_small', 'The Checkout Session total is too small.', 'line_items');
  }
  const expiresAt = form.expires_at === undefined ? null : Number(form.expires_at);
  const farthest = nowS + 24 * 60 * MINUTE_S;
  if (expiresAt !== null && (expiresAt < nowS + 30 * MINUTE_S || expiresAt > farthest)) {
    const said = 'The `expires_at` timestamp must be from 30 minutes to 24 hours from now.';
    throw invalid(undefined, said, 'expires_at');
  }
  return {
    name: textOf(inner(price.product_data).name),
    cents,
    currency,
    clientReferenceId: textOf(form.client_reference_id) || null,
    metadata: pairs(form.metadata),
    intentMetadata: pairs(inner(form.payment_intent_data).metadata),
    successUrl: textOf(form.success_url),
    cancelUrl: textOf(form.cancel_url) || null,
    expiresAt,
    expand: Object.values(pairs(form.expand)),
  };
}

export const inner = (value: Form | string | undefined): Form =>
  typeof value === 'object' ? value : {};
export const textOf = (value: Form | string | undefined) =>
  typeof value === 'string' ? value : '';
export const pairs = (value: Form | string | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(inner(value)).map(([key, each]) => [key, textOf(each)]));
