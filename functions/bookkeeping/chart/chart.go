// Package chart is the chart of accounts: the categories, and their places in Schedule C, in Plaid's
// taxonomy and in a journal.
package chart

// Category is the name of an account for people.
type Category string

// The categories.
const (
	Advertising     Category = "Advertising and marketing"
	BankFees        Category = "Bank and card fees"
	Car             Category = "Car and truck expenses"
	Charity         Category = "Charitable contribution"
	ContractLabor   Category = "Contract labor"
	CostOfGoods     Category = "Cost of goods sold"
	CardPayment     Category = "Credit card payment"
	Dues            Category = "Dues and memberships"
	Education       Category = "Education and training"
	Benefits        Category = "Employee benefits"
	Entertainment   Category = "Entertainment (not deductible)"
	Equipment       Category = "Equipment and fixed assets"
	Insurance       Category = "Insurance"
	InterestExpense Category = "Interest expense"
	InterestIncome  Category = "Interest income"
	Legal           Category = "Legal and professional services"
	LoanPayment     Category = "Loan payment"
	LoanProceeds    Category = "Loan proceeds"
	Meals           Category = "Meals"
	Office          Category = "Office expense"
	OtherExpense    Category = "Other business expense"
	OtherIncome     Category = "Other income"
	OwnerIn         Category = "Owner contribution or equity"
	OwnerOut        Category = "Owner draw or personal"
	OwnerTax        Category = "Owner income tax"
	ProcessingFees  Category = "Payment processing fees"
	PayrollTaxes    Category = "Payroll taxes and social charges"
	Penalties       Category = "Penalties and fines"
	Pension         Category = "Pension and retirement plans"
	RentPremises    Category = "Rent: premises and storage"
	RentEquipment   Category = "Rent: vehicles and equipment"
	Repairs         Category = "Repairs and maintenance"
	Returns         Category = "Returns and allowances"
	Sales           Category = "Sales and service revenue"
	SalesTax        Category = "Sales tax or VAT payment"
	Shipping        Category = "Shipping and postage"
	Software        Category = "Software and subscriptions"
	Supplies        Category = "Supplies"
	Taxes           Category = "Taxes and licenses"
	Telephone       Category = "Telephone and internet"
	Transfer        Category = "Transfer between own accounts"
	Travel          Category = "Travel"
	Utilities       Category = "Utilities"
	Wages           Category = "Wages and payroll"
	Uncategorised   Category = "uncategorised"
)

// Kind is the part that a row plays.
type Kind string

// The kinds.
const (
	Income    Kind = "income"
	Expense   Kind = "expense"
	Transfers Kind = "transfer"
	Refund    Kind = "refund"
	Fee       Kind = "fee"
	Owner     Kind = "owner"
	Tax       Kind = "tax"
	Loan      Kind = "loan"
)

// Section is where a category stands in the statement.
type Section string

// The sections. What is Outside changes no profit.
const (
	RevenueSection Section = "income"
	ReturnsSection Section = "returns"
	GoodsSection   Section = "cost_of_goods"
	ExpenseSection Section = "expenses"
	Outside        Section = "outside"
	BySign         Section = "by_sign" // uncategorised: an income or an expense
)

// account is one row of the chart.
type account struct {
	category Category
	section  Section
	kind     Kind
	line     string // of Schedule C
	plaid    string // detailed category of Plaid's personal finance taxonomy
	path     string // in a journal, below the root
}

// DefaultFormYear is the Schedule C that lines are numbered by.
const DefaultFormYear = 2025

// otherExpenses marks the line for other expenses, which moved from 27a to 27b.
const otherExpenses = "27"

var accounts = []account{
	{Advertising, ExpenseSection, Expense, "8", "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:Advertising"},
	{BankFees, ExpenseSection, Fee, otherExpenses, "BANK_FEES_OTHER_BANK_FEES", "Expenses:Fees:Bank"},
	{Car, ExpenseSection, Expense, "9", "TRANSPORTATION_GAS", "Expenses:Car"},
	{Charity, ExpenseSection, Expense, "", "GOVERNMENT_AND_NON_PROFIT_DONATIONS", "Expenses:Charity"},
	{ContractLabor, ExpenseSection, Expense, "11", "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:ContractLabor"},
	{CostOfGoods, GoodsSection, Expense, "4", "GENERAL_MERCHANDISE_OTHER_GENERAL_MERCHANDISE", "Expenses:CostOfGoods"},
	{CardPayment, Outside, Transfers, "", "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT", "Equity:Transfers:CardPayments"},
	{Dues, ExpenseSection, Expense, otherExpenses, "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:Dues"},
	{Education, ExpenseSection, Expense, otherExpenses, "GENERAL_SERVICES_EDUCATION", "Expenses:Education"},
	{Benefits, ExpenseSection, Expense, "14", "GENERAL_SERVICES_INSURANCE", "Expenses:Benefits"},
	{Entertainment, ExpenseSection, Expense, "", "ENTERTAINMENT_OTHER_ENTERTAINMENT", "Expenses:Entertainment"},
	{Equipment, ExpenseSection, Expense, "13", "GENERAL_MERCHANDISE_ELECTRONICS", "Expenses:Equipment"},
	{Insurance, ExpenseSection, Expense, "15", "GENERAL_SERVICES_INSURANCE", "Expenses:Insurance"},
	{InterestExpense, ExpenseSection, Expense, "16b", "BANK_FEES_INTEREST_CHARGE", "Expenses:InterestPaid"},
	{InterestIncome, RevenueSection, Income, "6", "INCOME_INTEREST_EARNED", "Income:InterestReceived"},
	{Legal, ExpenseSection, Expense, "17", "GENERAL_SERVICES_CONSULTING_AND_LEGAL", "Expenses:Professional"},
	{LoanPayment, Outside, Loan, "", "LOAN_PAYMENTS_OTHER_PAYMENT", "Liabilities:Loans:LoanPayments"},
	{LoanProceeds, Outside, Loan, "", "TRANSFER_IN_CASH_ADVANCES_AND_LOANS", "Liabilities:Loans:LoanProceeds"},
	{Meals, ExpenseSection, Expense, "24b", "FOOD_AND_DRINK_RESTAURANT", "Expenses:Meals"},
	{Office, ExpenseSection, Expense, "18", "GENERAL_MERCHANDISE_OFFICE_SUPPLIES", "Expenses:Office"},
	{OtherExpense, ExpenseSection, Expense, otherExpenses, "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:OtherExpense"},
	{OtherIncome, RevenueSection, Income, "6", "INCOME_OTHER_INCOME", "Income:OtherIncome"},
	{OwnerIn, Outside, Owner, "", "TRANSFER_IN_DEPOSIT", "Equity:Owner:Contributions"},
	{OwnerOut, Outside, Owner, "", "TRANSFER_OUT_WITHDRAWAL", "Equity:Owner:Draws"},
	{OwnerTax, Outside, Tax, "", "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT", "Equity:Owner:IncomeTax"},
	{ProcessingFees, ExpenseSection, Fee, otherExpenses, "BANK_FEES_OTHER_BANK_FEES", "Expenses:Fees:Processing"},
	{PayrollTaxes, ExpenseSection, Tax, "23", "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT", "Expenses:Payroll:PayrollTaxes"},
	{Penalties, ExpenseSection, Expense, "", "GOVERNMENT_AND_NON_PROFIT_GOVERNMENT_DEPARTMENTS_AND_AGENCIES", "Expenses:Penalties"},
	{Pension, ExpenseSection, Expense, "19", "TRANSFER_OUT_INVESTMENT_AND_RETIREMENT_FUNDS", "Expenses:Pension"},
	{RentPremises, ExpenseSection, Expense, "20b", "RENT_AND_UTILITIES_RENT", "Expenses:Rent:Premises"},
	{RentEquipment, ExpenseSection, Expense, "20a", "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:Rent:Equipment"},
	{Repairs, ExpenseSection, Expense, "21", "HOME_IMPROVEMENT_REPAIR_AND_MAINTENANCE", "Expenses:Repairs"},
	{Returns, ReturnsSection, Refund, "2", "GENERAL_MERCHANDISE_OTHER_GENERAL_MERCHANDISE", "Income:Returns"},
	{Sales, RevenueSection, Income, "1", "INCOME_OTHER_INCOME", "Income:Sales"},
	{SalesTax, ExpenseSection, Tax, "23", "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT", "Expenses:Taxes:SalesTax"},
	{Shipping, ExpenseSection, Expense, otherExpenses, "GENERAL_SERVICES_POSTAGE_AND_SHIPPING", "Expenses:Shipping"},
	{Software, ExpenseSection, Expense, otherExpenses, "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:Software"},
	{Supplies, ExpenseSection, Expense, "22", "GENERAL_MERCHANDISE_OTHER_GENERAL_MERCHANDISE", "Expenses:Supplies"},
	{Taxes, ExpenseSection, Tax, "23", "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT", "Expenses:Taxes:Licenses"},
	{Telephone, ExpenseSection, Expense, "25", "RENT_AND_UTILITIES_TELEPHONE", "Expenses:Telephone"},
	{Transfer, Outside, Transfers, "", "TRANSFER_OUT_ACCOUNT_TRANSFER", "Equity:Transfers:OwnAccounts"},
	{Travel, ExpenseSection, Expense, "24a", "TRAVEL_OTHER_TRAVEL", "Expenses:Travel"},
	{Utilities, ExpenseSection, Expense, "25", "RENT_AND_UTILITIES_OTHER_UTILITIES", "Expenses:Utilities"},
	{Wages, ExpenseSection, Expense, "26", "GENERAL_SERVICES_OTHER_GENERAL_SERVICES", "Expenses:Payroll:Wages"},
	{Uncategorised, BySign, "", "", "", "Uncategorised"},
}

var byCategory = func() map[Category]*account {
	all := make(map[Category]*account, len(accounts))
	for i := range accounts {
		all[accounts[i].category] = &accounts[i]
	}
	return all
}()

// Categories are all categories in the order of their names.
func Categories() []Category {
	all := make([]Category, len(accounts))
	for i, a := range accounts {
		all[i] = a.category
	}
	return all
}

// Known reports whether a category is in the chart.
func Known(c Category) bool { return byCategory[c] != nil }

// SectionOf is where a row of a category stands in the statement. isIncome matters to what has no
// category.
func SectionOf(c Category, isIncome bool) Section {
	section := byCategory[c].section
	if section != BySign {
		return section
	}
	if isIncome {
		return RevenueSection
	}
	return ExpenseSection
}

// KindOf is the part that an amount of a category plays. Money that comes back from an expense is a
// refund.
func KindOf(c Category, minor int64) Kind {
	a := byCategory[c]
	if a.section == BySign {
		if minor > 0 {
			return Income
		}
		return Expense
	}

	comesBack := minor > 0 && (a.section == ExpenseSection || a.section == GoodsSection)
	if comesBack {
		return Refund
	}
	return a.kind
}

// ScheduleC is the line of Schedule C of a year, empty for what the form does not ask.
func ScheduleC(c Category, year int) string {
	line := byCategory[c].line
	if line != otherExpenses {
		return line
	}

	const moved = 2025 // on the form of 2025, 27a is the deduction for energy-efficient buildings
	if year >= moved {
		return "27b"
	}
	return "27a"
}

// Plaid is the detailed category of Plaid's taxonomy, empty where it has none.
func Plaid(c Category, minor int64) string {
	if c == Transfer && minor > 0 {
		return "TRANSFER_IN_ACCOUNT_TRANSFER"
	}
	return byCategory[c].plaid
}

// Path is the account of a journal. isIncome matters to what has no category.
func Path(c Category, isIncome bool) string {
	path := byCategory[c].path
	if c != Uncategorised {
		return path
	}
	if isIncome {
		return "Income:" + path + "Income"
	}
	return "Expenses:" + path + "Expense"
}
